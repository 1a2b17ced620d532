'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { call } from '@/components/call';
import { REASON_NAMES } from '@/components/decisions/decision-words';
import { explainError } from '@/components/explain-error';
import { RelativeTime } from '@/components/format/relative-time';
import type { Target } from '@/components/identifier/target';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { Badge } from '@/components/ui/badge';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { listDecisions } from '@/lib/contract/decisions';

export function LastRefusals({ target: { type, identifier } }: { target: Target }) {
  const { data: answer, error } = useQuery({
    queryKey: ['decisions', 'last', type, identifier],
    queryFn: ({ signal }) =>
      call(listDecisions, { query: { type, identifier, outcome: 'refused', limit: '10' }, signal }),
    refetchInterval: 5_000,
  });
  const data = answer?.value;
  return (
    <Card>
      <CardHeader>
        <CardTitle>Last refusals</CardTitle>
        <Link
          href={`/decisions?${new URLSearchParams({ q: identifier, range: '7d' })}`}
          prefetch={false}
          className="rounded-xs text-sm text-primary hover:underline"
        >
          All decisions
        </Link>
      </CardHeader>
      <CardContent>
        {!data && !error ? <Skeleton className="h-24" /> : null}
        {!data && error ? <p className="text-sm text-destructive-text">{explainError(error).title}</p> : null}
        {data?.length === 0 ? (
          <p className="py-4 text-center text-sm text-muted-foreground">Not refused in the last 30 days.</p>
        ) : null}
        <ul className="flex flex-col divide-y">
          {data?.map((decision) => (
            <li key={decision.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-sm">
              <RelativeTime at={decision.at} className="w-20 shrink-0 text-xs text-muted-foreground" />
              <Badge variant="destructive">
                {decision.reason ? (REASON_NAMES[decision.reason] ?? decision.reason) : 'Refused'}
              </Badge>
              <span className="text-xs text-muted-foreground">{CLASS_NAMES[decision.class]}</span>
              <span className="min-w-0 flex-1 truncate font-mono text-xs" title={decision.path ?? undefined}>
                <span className="text-muted-foreground">{decision.method}</span> {decision.path}
              </span>
            </li>
          ))}
        </ul>
      </CardContent>
    </Card>
  );
}
