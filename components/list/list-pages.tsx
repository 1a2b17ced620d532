'use client';

import { ChevronLeft, ChevronRight } from 'lucide-react';
import { formatNumber } from '@/components/format/number';
import { type ListState, PAGE_SIZES } from '@/components/list/list-state';
import { Button } from '@/components/ui/button';

/** Which rows are shown, how many on a page, and the way to the next ones. */
export function ListPages({
  total,
  page,
  pages,
  state,
}: {
  total: number;
  page: number;
  pages: number;
  state: Pick<ListState<string>, 'size' | 'setPage' | 'setSize'>;
}) {
  const from = page * state.size + 1;
  const to = Math.min(total, from + state.size - 1);
  return (
    <div className="flex min-h-11 items-center justify-between gap-3 border-t px-4 py-1.5 text-xs text-muted-foreground tabular-nums">
      <p aria-live="polite">
        {total <= state.size
          ? formatNumber(total)
          : `${formatNumber(from)}–${formatNumber(to)} of ${formatNumber(total)}`}
        {total <= state.size ? (total === 1 ? ' row' : ' rows') : ''}
      </p>
      {total > PAGE_SIZES[0] ? (
        <div className="flex items-center gap-1">
          <select
            aria-label="Rows on a page"
            className="mr-2 h-7 rounded-md bg-transparent px-1.5 text-xs hover:bg-accent [&>option]:bg-popover"
            value={state.size}
            onChange={(event) => state.setSize(Number(event.target.value))}
          >
            {PAGE_SIZES.map((size) => (
              <option key={size} value={size}>
                {size} a page
              </option>
            ))}
          </select>
          <Button
            variant="ghost"
            size="icon"
            aria-label="Previous page"
            disabled={page === 0}
            onClick={() => state.setPage(page - 1)}
          >
            <ChevronLeft aria-hidden />
          </Button>
          <Button
            variant="ghost"
            size="icon"
            aria-label="Next page"
            disabled={page >= pages - 1}
            onClick={() => state.setPage(page + 1)}
          >
            <ChevronRight aria-hidden />
          </Button>
        </div>
      ) : null}
    </div>
  );
}
