import { formatDistance } from '@/components/format/duration';
import { useNow } from '@/components/format/use-now';

export interface Staleness {
  isRefetchError: boolean;
  fetchStatus: 'fetching' | 'paused' | 'idle';
  /** Time in milliseconds. */
  dataUpdatedAt: number;
}

/** True if the shown data could not be refreshed. */
export function isOld({ isRefetchError, fetchStatus, dataUpdatedAt }: Staleness): boolean {
  return dataUpdatedAt > 0 && (isRefetchError || fetchStatus === 'paused');
}

/** Shows the age of data that cannot be refreshed. */
export function StaleNote({ query }: { query: Staleness }) {
  const now = useNow();
  if (!isOld(query) || now === null) return null;
  return <span className="text-xs text-warning-text">as of {formatDistance(query.dataUpdatedAt, now)}</span>;
}
