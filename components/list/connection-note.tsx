import { useSlow } from '@/components/api/use-slow';
import { formatDistance } from '@/components/format/duration';
import { useNow } from '@/components/format/use-now';
import { isOld, type Staleness } from '@/components/list/stale-note';
import { Badge } from '@/components/ui/badge';

/** Warns if live data is stale or late, and shows its age. */
export function ConnectionNote({ queries }: { queries: readonly Staleness[] }) {
  const now = useNow();
  const lost = queries.some(isOld);
  const slow = useSlow(
    queries.some((query) => query.fetchStatus === 'fetching'),
    4_000,
  );
  const updates = queries.map((query) => query.dataUpdatedAt).filter((at) => at > 0);
  const age = updates.length > 0 && now !== null ? `, as of ${formatDistance(Math.min(...updates), now)}` : '';
  return (
    <span aria-live="polite" className="empty:hidden">
      {lost ? <Badge variant="warning">connection lost, trying again{age}</Badge> : null}
      {slow && !lost ? <Badge variant="warning">the server is slow{age}</Badge> : null}
    </span>
  );
}
