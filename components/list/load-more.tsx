'use client';

import { formatNumber } from '@/components/format/number';
import { Button } from '@/components/ui/button';

/** The foot of a list that the server pages. */
export function LoadMore({
  shown,
  hasMore,
  pending,
  onMore,
}: {
  shown: number;
  hasMore: boolean;
  pending: boolean;
  onMore: () => void;
}) {
  return (
    <div className="flex min-h-11 items-center justify-between gap-3 border-t px-4 py-1.5 text-xs text-muted-foreground tabular-nums">
      <p aria-live="polite">{hasMore ? `The newest ${formatNumber(shown)}` : `${formatNumber(shown)} in all`}</p>
      {hasMore ? (
        <Button variant="outline" size="sm" pending={pending} onClick={onMore}>
          Load older
        </Button>
      ) : null}
    </div>
  );
}
