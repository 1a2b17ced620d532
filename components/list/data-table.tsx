import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { Skeleton } from '@/components/ui/skeleton';
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@/components/ui/table';

export interface TableColumn<Row> {
  /** Also the name that the API sorts by, where it does. */
  id: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  className?: string;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly TableColumn<Row>[];
  /** Undefined while they load. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string | number;
  /** The rows are those of the previous query. */
  isStale?: boolean;
  /** `name` or `-created_at`. */
  sort?: string;
  sortings?: readonly string[];
  onSort?: (sort: string) => void;
  footer?: ReactNode;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, isStale, sort, sortings = [], onSort, footer } = props;
  return (
    <div className="overflow-hidden rounded-lg border bg-card" aria-busy={!rows || isStale}>
      <Table label={label}>
        <TableHeader>
          <tr>
            {columns.map((column) =>
              onSort && sortings.includes(column.id) ? (
                <SortableHead key={column.id} column={column} sort={sort} onSort={onSort} />
              ) : (
                <TableHead key={column.id} className={column.className}>
                  {column.header}
                </TableHead>
              ),
            )}
          </tr>
        </TableHeader>
        <TableBody>
          {rows ? (
            rows.map((row) => (
              <TableRow key={rowId(row)}>
                {columns.map(({ id, cell, className }) => (
                  <TableCell key={id} className={className}>
                    {cell(row)}
                  </TableCell>
                ))}
              </TableRow>
            ))
          ) : (
            <SkeletonRows columns={columns} />
          )}
        </TableBody>
      </Table>
      {rows ? footer : null}
    </div>
  );
}

function SortableHead<Row>(props: { column: TableColumn<Row>; sort?: string; onSort: (sort: string) => void }) {
  const { sort, onSort } = props;
  const { id, header, className } = props.column;
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

const WIDTHS = ['w-3/5', 'w-4/5', 'w-1/2', 'w-3/4', 'w-2/3', 'w-[55%]'];

function SkeletonRows<Row>({ columns }: { columns: readonly TableColumn<Row>[] }) {
  return WIDTHS.map((width) => (
    <tr key={width} className="border-b">
      {columns.map(({ id, className }) => (
        <TableCell key={id} className={className}>
          <Skeleton className={`h-3.5 max-w-40 min-w-6 ${width}`} />
        </TableCell>
      ))}
    </tr>
  ));
}
