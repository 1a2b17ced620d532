import type { MouseEvent, ReactNode } from 'react';
import { ColumnHead } from '@/components/list/column-head';
import { choosePlace, PHONE_CELL, PHONE_HEAD, PHONE_ROW, type PhonePlace } from '@/components/list/phone-row';
import { cn } from '@/components/ui/cn';
import { Skeleton } from '@/components/ui/skeleton';
import { Table, TableBody, TableCell, TableHeader, TableHeaderRow, TableRow } from '@/components/ui/table';

export interface TableColumn<Row> {
  /** Id of the column, and its sort name in the API if it is sortable. */
  id: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  className?: string;
  /** Position on a phone. If any column sets it, columns without it are details. */
  phone?: PhonePlace;
  /** Prefix of the cell in the second line of a phone's row, for values that need a label. */
  phoneLabel?: string;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly TableColumn<Row>[];
  /** Undefined while the rows load. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string | number;
  /** True if the rows belong to the previous query. */
  isStale?: boolean;
  /** Sort order: `name` or `-created_at`. */
  sort?: string;
  sortings?: readonly string[];
  onSort?: (sort: string) => void;
  /** Opens the details of the clicked row. A button in the row does the same. */
  onOpen?: (row: Row) => void;
  footer?: ReactNode;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, isStale, sort, sortings = [], onSort, onOpen, footer } = props;
  const stacked = columns.some(({ phone }) => phone !== undefined);
  const canSort = (id: string) => onSort !== undefined && sortings.includes(id);
  const headRow = columns.some(({ id }) => canSort(id)) ? PHONE_HEAD.row : PHONE_HEAD.silent;
  return (
    <div className="overflow-clip rounded-lg border bg-card" aria-busy={!rows || isStale}>
      <Table label={label} stacked={stacked}>
        <TableHeader className={cn(stacked && 'max-sm:block', '[&_tr]:border-b-0')}>
          <TableHeaderRow className={cn(stacked && headRow)}>
            {columns.map((column) => (
              <ColumnHead
                key={column.id}
                column={column}
                stacked={stacked}
                sort={sort}
                onSort={canSort(column.id) ? onSort : undefined}
              />
            ))}
          </TableHeaderRow>
        </TableHeader>
        <TableBody className={cn(stacked && 'max-sm:block')}>
          {rows ? (
            rows.map((row) => (
              <TableRow
                key={rowId(row)}
                className={cn(stacked && PHONE_ROW, onOpen && 'cursor-pointer')}
                onClick={(event) => onOpen && isOnRow(event) && onOpen(row)}
              >
                {columns.map((column) => (
                  <ColumnCell key={column.id} column={column} stacked={stacked}>
                    {column.cell(row)}
                  </ColumnCell>
                ))}
              </TableRow>
            ))
          ) : (
            <SkeletonRows columns={columns} stacked={stacked} />
          )}
        </TableBody>
      </Table>
      {rows ? footer : null}
    </div>
  );
}

/** True if a click targets the row itself, not a link, a button, an open menu or selected text. */
function isOnRow({ target, currentTarget }: MouseEvent<HTMLTableRowElement>): boolean {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  return target.closest('a, button, input, label') === null && getSelection()?.isCollapsed !== false;
}

function ColumnCell<Row>(props: { column: TableColumn<Row>; stacked: boolean; children: ReactNode }) {
  const { column, stacked, children } = props;
  const place = choosePlace(column);
  return (
    <TableCell className={cn(column.className, stacked && PHONE_CELL[place])}>
      {stacked && place === 'detail' && column.phoneLabel ? (
        <span aria-hidden className="sm:hidden">
          {column.phoneLabel}{' '}
        </span>
      ) : null}
      {children}
    </TableCell>
  );
}

const WIDTHS = ['w-3/5', 'w-4/5', 'w-1/2', 'w-3/4', 'w-2/3', 'w-[55%]'];

function SkeletonRows<Row>({ columns, stacked }: { columns: readonly TableColumn<Row>[]; stacked: boolean }) {
  return WIDTHS.map((width) => (
    <TableRow key={width} className={cn(stacked && PHONE_ROW)}>
      {columns.map((column) => (
        <ColumnCell key={column.id} column={column} stacked={stacked}>
          <Skeleton className={`h-3.5 max-w-40 min-w-6 ${width}`} />
        </ColumnCell>
      ))}
    </TableRow>
  ));
}
