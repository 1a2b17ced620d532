import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { cn, wrapWithStyle } from '@/components/ui/cn';

const Whole = /* @__PURE__ */ wrapWithStyle('table', 'w-full caption-bottom text-sm tabular-nums', { role: 'table' });

/**
 * Table whose head stays visible while the page scrolls. If the table does not fit, it scrolls sideways instead, also by
 * keyboard: a box that scrolls would hold the head. `stacked` lays its rows out as blocks on a phone,
 * so the parts have explicit roles.
 */
export function Table({ label, stacked, ...props }: ComponentProps<'table'> & { label: string; stacked?: boolean }) {
  const box = useRef<HTMLElement>(null);
  const [fits, setFits] = useState(false);
  useEffect(() => {
    const section = box.current;
    const table = section?.firstElementChild;
    if (!section || !table) return;
    const observer = new ResizeObserver(() => setFits(table.scrollWidth <= section.clientWidth));
    observer.observe(section);
    observer.observe(table);
    return () => observer.disconnect();
  }, []);
  return (
    <section
      ref={box}
      className={cn('relative w-full focus-visible:-outline-offset-2', fits ? 'overflow-x-clip' : 'overflow-x-auto')}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <Whole className={stacked ? 'max-sm:block' : undefined} {...props} />
    </section>
  );
}

export const TableHeader = /* @__PURE__ */ wrapWithStyle('thead', '[&_tr]:border-b', { role: 'rowgroup' });
export const TableBody = /* @__PURE__ */ wrapWithStyle('tbody', '[&_tr:last-child]:border-0', { role: 'rowgroup' });
export const TableHeaderRow = /* @__PURE__ */ wrapWithStyle('tr', '', { role: 'row' });
export const TableRow = /* @__PURE__ */ wrapWithStyle('tr', 'border-b transition-colors hover:bg-muted/50', {
  role: 'row',
});
export const TableHead = /* @__PURE__ */ wrapWithStyle(
  'th',
  'h-9 px-3 text-left align-middle text-xs font-medium whitespace-nowrap text-muted-foreground first:pl-4 last:pr-4 max-sm:px-2 max-sm:first:pl-3 max-sm:last:pr-2',
  { scope: 'col', role: 'columnheader' },
);
export const TableCell = /* @__PURE__ */ wrapWithStyle(
  'td',
  'h-11 px-3 py-1.5 align-middle whitespace-nowrap first:pl-4 last:pr-4 max-sm:px-2 max-sm:first:pl-3 max-sm:last:pr-2',
  { role: 'cell' },
);
