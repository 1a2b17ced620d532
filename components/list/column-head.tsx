import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { choosePlace, PHONE_CELL, PHONE_HEAD, type PhonePlace } from '@/components/list/phone-row';
import { cn } from '@/components/ui/cn';
import { TableHead } from '@/components/ui/table';

/** Keeps the head of a table visible, but on a phone, where it would cover rows. The border of a row does not stick. */
const STICKY =
  'sticky top-0 z-10 bg-card shadow-[inset_0_-1px_0_var(--color-border)] max-md:top-13 max-sm:static max-sm:bg-transparent max-sm:shadow-none';

interface ColumnHeadProps {
  column: { id: string; header: ReactNode; className?: string; phone?: PhonePlace };
  stacked: boolean;
  sort?: string;
  /** Absent if the column is not sortable. */
  onSort?: (sort: string) => void;
}

/** Header of a column, with its sort button. */
export function ColumnHead({ column, stacked, sort, onSort }: ColumnHeadProps) {
  const { id, header } = column;
  const hidden = stacked && ['hidden', 'mark'].includes(choosePlace(column));
  const className = cn(
    STICKY,
    column.className,
    stacked && (hidden ? PHONE_CELL.hidden : onSort ? PHONE_HEAD.sorts : PHONE_HEAD.silent),
  );
  if (!onSort) {
    return <TableHead className={className}>{header}</TableHead>;
  }
  const direction = sort === id ? 'ascending' : sort === `-${id}` ? 'descending' : 'none';
  const Icon = { ascending: ArrowUp, descending: ArrowDown, none: ChevronsUpDown }[direction];
  return (
    <TableHead className={className} aria-sort={direction}>
      <button
        type="button"
        onClick={() => onSort(direction === 'ascending' ? `-${id}` : id)}
        className={cn(
          'group -mx-1 inline-flex h-6 items-center gap-1 rounded-sm px-1 transition-colors hover:text-foreground',
          direction !== 'none' && 'text-foreground',
        )}
      >
        {header}
        <Icon aria-hidden className={cn('size-3', direction === 'none' && 'opacity-0 group-hover:opacity-60')} />
      </button>
    </TableHead>
  );
}
