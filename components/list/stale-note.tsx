import { formatDistance } from '@/components/format/duration';
import { useNow } from '@/components/format/use-now';

export interface Staleness {
  isRefetchError: boolean;
  fetchStatus: 'fetching' | 'paused' | 'idle';
  /** Milliseconds. */
  dataUpdatedAt: number;
}

/** Whether what is shown could not be renewed. */
export function isOld({ isRefetchError, fetchStatus, dataUpdatedAt }: Staleness): boolean {
  return dataUpdatedAt > 0 && (isRefetchError || fetchStatus === 'paused');
}

/** How old the data of a part is, while it cannot be renewed. */
export function StaleNote({ query }: { query: Staleness }) {
  const now = useNow();
  if (!isOld(query) || now === null) return null;
  return <span className="text-xs text-warning-text">as of {formatDistance(query.dataUpdatedAt, now)}</span>;
}
