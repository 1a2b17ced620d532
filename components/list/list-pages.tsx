'use client';

import { ChevronLeft, ChevronRight } from 'lucide-react';
import { formatNumber } from '@/components/format/number';
import { type ListState, PAGE_SIZES } from '@/components/list/list-state';
import { Button } from '@/components/ui/button';
import { Select, SelectContent, SelectItem, SelectTrigger, SelectValue } from '@/components/ui/select';

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
          <Select value={String(state.size)} onValueChange={(size) => state.setSize(Number(size))}>
            <SelectTrigger
              aria-label="Rows on a page"
              className="mr-2 h-7 w-auto border-transparent bg-transparent text-xs"
            >
              <SelectValue />
            </SelectTrigger>
            <SelectContent>
              {PAGE_SIZES.map((size) => (
                <SelectItem key={size} value={String(size)}>
                  {size} a page
                </SelectItem>
              ))}
            </SelectContent>
          </Select>
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
