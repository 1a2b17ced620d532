import type { ComponentProps } from 'react';
import { styled } from '@/components/ui/cn';

/** Scrolls sideways where it does not fit, also by keyboard. */
export function Table({ label, ...props }: ComponentProps<'table'> & { label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="relative w-full overflow-x-auto" aria-label={label} tabIndex={0}>
      <table className="w-full caption-bottom text-sm tabular-nums" {...props} />
    </section>
  );
}

export const TableHeader = /* @__PURE__ */ styled('thead', '[&_tr]:border-b');
export const TableBody = /* @__PURE__ */ styled('tbody', '[&_tr:last-child]:border-0');
export const TableRow = /* @__PURE__ */ styled('tr', 'border-b transition-colors hover:bg-muted/50');
export const TableHead = /* @__PURE__ */ styled(
  'th',
  'h-9 px-3 text-left align-middle text-xs font-medium whitespace-nowrap text-muted-foreground first:pl-4 last:pr-4 max-sm:px-2 max-sm:first:pl-3 max-sm:last:pr-2',
  { scope: 'col' },
);
export const TableCell = /* @__PURE__ */ styled(
  'td',
  'h-11 px-3 py-1.5 align-middle whitespace-nowrap first:pl-4 last:pr-4 max-sm:px-2 max-sm:first:pl-3 max-sm:last:pr-2',
);
