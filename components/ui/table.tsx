import type { ComponentProps } from 'react';
import { styled } from '@/components/ui/cn';

const Whole = /* @__PURE__ */ styled('table', 'w-full caption-bottom text-sm tabular-nums', { role: 'table' });

/**
 * Table that scrolls sideways if it does not fit, also by keyboard. `stacked` lays its rows out as blocks on a phone,
 * so the parts have explicit roles.
 */
export function Table({ label, stacked, ...props }: ComponentProps<'table'> & { label: string; stacked?: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="relative w-full overflow-x-auto" aria-label={label} tabIndex={0}>
      <Whole className={stacked ? 'max-sm:block' : undefined} {...props} />
    </section>
  );
}

export const TableHeader = /* @__PURE__ */ styled('thead', '[&_tr]:border-b', { role: 'rowgroup' });
export const TableBody = /* @__PURE__ */ styled('tbody', '[&_tr:last-child]:border-0', { role: 'rowgroup' });
export const TableHeaderRow = /* @__PURE__ */ styled('tr', '', { role: 'row' });
export const TableRow = /* @__PURE__ */ styled('tr', 'border-b transition-colors hover:bg-muted/50', { role: 'row' });
export const TableHead = /* @__PURE__ */ styled(
  'th',
  'h-9 px-3 text-left align-middle text-xs font-medium whitespace-nowrap text-muted-foreground first:pl-4 last:pr-4 max-sm:px-2 max-sm:first:pl-3 max-sm:last:pr-2',
  { scope: 'col', role: 'columnheader' },
);
export const TableCell = /* @__PURE__ */ styled(
  'td',
  'h-11 px-3 py-1.5 align-middle whitespace-nowrap first:pl-4 last:pr-4 max-sm:px-2 max-sm:first:pl-3 max-sm:last:pr-2',
  { role: 'cell' },
);
