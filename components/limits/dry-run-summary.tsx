import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { History, TriangleAlert } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useEffect, useState } from 'react';
import { call } from '@/components/call';
import { explainError } from '@/components/explain-error';
import { dryRunWords } from '@/components/limits/limit-words';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { dryRunPolicies } from '@/lib/contract/policies';

const DryRunDetails = dynamic(() => import('@/components/limits/dry-run-details'), { ssr: false });

/** The effect of unsaved changes on the traffic of the last hour. `patch` is null while they are not valid. */
export function DryRunSummary({ patch }: { patch: unknown }) {
  const [open, setOpen] = useState(false);
  const { data, error, isOld, refetch } = useDryRun(patch);
  const worse = data !== undefined && data.changed.at_most > data.in_force.at_most;
  const Icon = worse ? TriangleAlert : History;
  if (patch === null) return <p className="text-sm text-muted-foreground">Some of the numbers are not valid.</p>;
  if (error && isOld === false && !data) {
    return (
      <p className="flex flex-wrap items-center gap-2 text-sm text-destructive-text">
        {explainError(error).title}: the last hour was not replayed.
        <Button variant="ghost" size="sm" onClick={() => void refetch()}>
          Try again
        </Button>
      </p>
    );
  }
  return (
    <div className="flex flex-col">
      <div className="flex flex-wrap items-start gap-x-2 gap-y-1">
        <Icon aria-hidden className={cn('mt-0.5 size-4 shrink-0', worse ? 'text-warning' : 'text-muted-foreground')} />
        <p
          role="status"
          aria-busy={isOld}
          className={cn(
            'min-w-0 flex-1 basis-64 text-sm tabular-nums transition-colors',
            isOld && 'text-muted-foreground',
          )}
        >
          {data ? dryRunWords(data) : 'Replaying the traffic of the last hour…'}
        </p>
        {data && data.limits.length > 0 ? (
          <Button variant="ghost" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Less' : 'Details'}
          </Button>
        ) : null}
      </div>
      {open && data && data.limits.length > 0 ? <DryRunDetails run={data} /> : null}
    </div>
  );
}

/** Replays once the typing pauses. */
function useDryRun(patch: unknown) {
  const text = patch === null ? null : JSON.stringify(patch);
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 500);
    return () => clearTimeout(timer);
  }, [text]);
  const query = useQuery({
    queryKey: ['dry-run', settled],
    queryFn: async ({ signal }) => (await call(dryRunPolicies, { body: JSON.parse(settled ?? '{}'), signal })).value,
    enabled: settled !== null && text !== null,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  return { ...query, isOld: settled !== text || query.isPlaceholderData };
}
