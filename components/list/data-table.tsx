'use client';

import { type ColumnDef, type RowData, useTable } from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import { ListError } from '@/components/list/list-error';
import { ListPages } from '@/components/list/list-pages';
import { ListSkeleton } from '@/components/list/list-skeleton';
import type { ListState } from '@/components/list/list-state';
import { LoadMore } from '@/components/list/load-more';
import { SortableHead } from '@/components/list/sortable-head';
import { type ListFeatures, listFeatures } from '@/components/list/table-features';
import type { Served } from '@/components/list/use-resource-list';
import { cn } from '@/components/ui/cn';
import { Table, TableBody, TableCell, TableHeader, TableRow } from '@/components/ui/table';

interface DataTableProps<Row extends RowData> {
  /** Names the table to assistive technology. */
  label: string;
  // biome-ignore lint/suspicious/noExplicitAny: columns of one row have cells of different types
  columns: readonly ColumnDef<ListFeatures, Row, any>[];
  /** The rows that match the filters; undefined while they load. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  state: Pick<ListState<string>, 'sort' | 'page' | 'size' | 'setSort' | 'setPage' | 'setSize'>;
  error: unknown;
  onRetry: () => void;
  /** What stands in the place of rows when there are none. */
  empty: ReactNode;
  /** Replaces the page controls, for lists that the server pages. */
  footer?: ReactNode;
  /** The list is in the hands of the server: it sorts by some of the columns, and pages. */
  served?: Served | null;
}

const NO_ROWS: never[] = [];

/** The one table of the console: sorted and paged by the address, with loading, empty and error states. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, state, error, onRetry, empty, served } = props;
  const footer = props.footer ?? (served ? <ServedFooter shown={rows?.length ?? 0} served={served} /> : undefined);
  const byServer = footer !== undefined;
  const pages = Math.max(1, Math.ceil((rows?.length ?? 0) / state.size));
  const page = Math.min(state.page, pages - 1);
  const { id, desc } = state.sort;
  const tableState = useMemo(
    () => ({
      sorting: [{ id, desc }],
      pagination: byServer ? { pageIndex: 0, pageSize: 100_000 } : { pageIndex: page, pageSize: state.size },
    }),
    [id, desc, page, state.size, byServer],
  );
  const table = useTable<ListFeatures, Row>({
    features: listFeatures,
    columns,
    data: rows ?? (NO_ROWS as readonly Row[]),
    getRowId: rowId,
    state: tableState,
    manualSorting: byServer,
    autoResetPageIndex: false,
  });
  if (error && !rows) return <ListError error={error} onRetry={onRetry} />;
  if (rows && rows.length === 0) return <>{empty}</>;
  return (
    <div className="overflow-hidden rounded-lg border bg-card" aria-busy={!rows}>
      <Table label={label}>
        <TableHeader>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
                <SortableHead
                  key={header.id}
                  className={header.column.columnDef.meta?.className}
                  sortable={byServer ? (served?.sorts.includes(header.column.id) ?? false) : header.column.getCanSort()}
                  direction={state.sort.id === header.column.id ? (state.sort.desc ? 'desc' : 'asc') : null}
                  onSort={(descending) => state.setSort(header.column.id, descending)}
                >
                  <table.FlexRender header={header} />
                </SortableHead>
              ))}
            </tr>
          ))}
        </TableHeader>
        <TableBody>
          {rows ? (
            table.getRowModel().rows.map((row) => (
              <TableRow key={row.id}>
                {row.getAllCells().map((cell) => (
                  <TableCell key={cell.id} className={cn(cell.column.columnDef.meta?.className)}>
                    <table.FlexRender cell={cell} />
                  </TableCell>
                ))}
              </TableRow>
            ))
          ) : (
            <ListSkeleton columns={columns.map((column) => column.meta?.className)} />
          )}
        </TableBody>
      </Table>
      {footer ?? (rows ? <ListPages total={rows.length} page={page} pages={pages} state={state} /> : null)}
    </div>
  );
}

function ServedFooter({ shown, served }: { shown: number; served: Served }) {
  return (
    <LoadMore sorted shown={shown} hasMore={served.hasMore} pending={served.isLoadingMore} onMore={served.loadMore} />
  );
}
