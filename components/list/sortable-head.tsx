'use client';

import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { TableHead } from '@/components/ui/table';

/** A column's heading; a button when the column sorts. */
export function SortableHead({
  className,
  sortable,
  direction,
  onSort,
  children,
}: {
  className?: string;
  sortable: boolean;
  direction: 'asc' | 'desc' | null;
  onSort: (descending: boolean) => void;
  children: ReactNode;
}) {
  if (!sortable) return <TableHead className={className}>{children}</TableHead>;
  const Icon = direction === 'asc' ? ArrowUp : direction === 'desc' ? ArrowDown : ChevronsUpDown;
  return (
    <TableHead
      className={className}
      aria-sort={direction === null ? 'none' : direction === 'asc' ? 'ascending' : 'descending'}
    >
      <button
        type="button"
        onClick={() => onSort(direction === 'asc')}
        className={cn(
          'group -mx-1 inline-flex h-6 items-center gap-1 rounded-sm px-1 transition-colors hover:text-foreground',
          direction && 'text-foreground',
        )}
      >
        {children}
        <Icon aria-hidden className={cn('size-3', direction === null && 'opacity-0 group-hover:opacity-60')} />
      </button>
    </TableHead>
  );
}
