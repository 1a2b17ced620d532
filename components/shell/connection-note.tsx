'use client';

import { useEffect, useState } from 'react';
import { formatDistance } from '@/components/format/duration';
import { useNow } from '@/components/format/use-now';
import { Badge } from '@/components/ui/badge';

/** What of a query that renews itself says how it stands. */
export interface LiveQuery {
  isRefetchError: boolean;
  fetchStatus: 'fetching' | 'paused' | 'idle';
  dataUpdatedAt: number;
}

/** After so many milliseconds without an answer the server is called slow. */
const SLOW = 4_000;

/** Says that what is shown is no longer renewed, or late, and how old it is. Nothing while all is well. */
export function ConnectionNote({ queries }: { queries: readonly LiveQuery[] }) {
  const now = useNow();
  const lost = queries.some((one) => one.isRefetchError || one.fetchStatus === 'paused');
  const slow = useSlow(queries.some((one) => one.fetchStatus === 'fetching'));
  const known = queries.map((one) => one.dataUpdatedAt).filter((at) => at > 0);
  const age = known.length > 0 && now !== null ? `, as of ${formatDistance(Math.min(...known), now)}` : '';
  return (
    <span aria-live="polite" className="empty:hidden">
      {lost ? <Badge variant="warning">connection lost, trying again{age}</Badge> : null}
      {slow && !lost ? <Badge variant="warning">the server is slow{age}</Badge> : null}
    </span>
  );
}

function useSlow(fetching: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!fetching) return;
    const timer = setTimeout(() => setSlow(true), SLOW);
    return () => clearTimeout(timer);
  }, [fetching]);
  return slow;
}
