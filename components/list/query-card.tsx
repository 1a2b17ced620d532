import type { ReactNode } from 'react';
import { FailedPart } from '@/components/list/failed-part';
import { StaleNote, type Staleness } from '@/components/list/stale-note';
import { TitledCard } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { Skeleton } from '@/components/ui/skeleton';

interface QueryCardProps<Data> {
  title: string;
  more?: { href: string; label: string };
  query: Staleness & { data: Data | undefined; error: unknown; refetch: () => unknown };
  /** Returns the text to show instead of `children` if there is no data, else null. */
  empty?: (data: Data) => string | null;
  children: (data: Data) => ReactNode;
}

/**
 * Card for the data of one query. It shows a skeleton while loading, and the error with a retry button after a failure.
 */
export function QueryCard<Data>({ title, more, query, empty, children }: QueryCardProps<Data>) {
  const { data, error, refetch } = query;
  const note = data === undefined ? null : (empty?.(data) ?? null);
  const link = more && (
    <Link href={more.href} className="rounded-xs text-sm text-primary hover:underline">
      {more.label}
    </Link>
  );
  return (
    <TitledCard
      title={title}
      aside={
        <span className="flex items-baseline gap-3">
          <StaleNote query={query} />
          {link}
        </span>
      }
    >
      {data === undefined && !error ? <Skeleton className="h-32" /> : null}
      {data === undefined && error ? <FailedPart error={error} onRetry={() => void refetch()} /> : null}
      {note === null ? null : <p className="py-5 text-center text-sm text-muted-foreground">{note}</p>}
      {data !== undefined && note === null ? children(data) : null}
    </TitledCard>
  );
}
