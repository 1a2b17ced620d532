'use client';

import { formatNumber } from '@/components/format/number';
import { Button } from '@/components/ui/button';

/** The foot of a list that the server pages. */
export function LoadMore({
  shown,
  hasMore,
  pending,
  onMore,
  sorted = false,
}: {
  shown: number;
  hasMore: boolean;
  pending: boolean;
  onMore: () => void;
  /** The list is not sorted by time alone: there are first rows and not newest ones. */
  sorted?: boolean;
}) {
  return (
    <div className="flex min-h-11 items-center justify-between gap-3 border-t px-4 py-1.5 text-xs text-muted-foreground tabular-nums">
      <p aria-live="polite">
        {hasMore ? `The ${sorted ? 'first' : 'newest'} ${formatNumber(shown)}` : `${formatNumber(shown)} in all`}
      </p>
      {hasMore ? (
        <Button variant="outline" size="sm" pending={pending} onClick={onMore}>
          {sorted ? 'Load more' : 'Load older'}
        </Button>
      ) : null}
    </div>
  );
}
