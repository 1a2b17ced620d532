import type { ReactNode } from 'react';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ListError } from '@/components/list/list-error';
import { StaleNote } from '@/components/list/stale-note';
import type { ResourceListState } from '@/components/list/use-resource-list';
import { Button } from '@/components/ui/button';
import { formatCount, formatNumber } from '@/lib/format-number';

/** States how many rows are shown, and how many there are: `The first 100 of 1,200`. */
function describeRows<Row>({ declaration: { noun }, sort, hasMore, total }: ResourceListState<Row>, shown: number) {
  if (!hasMore) return noun === undefined ? `${formatNumber(shown)} total` : formatCount(shown, noun);
  const all = total === null ? '' : ` of ${noun === undefined ? formatNumber(total) : formatCount(total, noun)}`;
  return `The ${sort === undefined ? 'newest' : 'first'} ${formatNumber(shown)}${all}`;
}

const useNothing = () => undefined;
const useNoSelection = () => ({ columns: [], bar: null });

interface ListRowsProps<Row> {
  list: ResourceListState<Row>;
  /** Shown above the rows of the list. */
  newer?: readonly Row[];
  /** Adds a row. Shown if the list is empty. */
  button?: ReactNode;
}

/** Shows the table of a list, with a button that loads the next page. */
export function ListRows<Row>({ list, newer = [], button }: ListRowsProps<Row>) {
  const {
    label,
    columns,
    rowId,
    noMatch,
    sortings,
    RowActions,
    useOpen = useNothing,
    useSelection = useNoSelection,
  } = list.declaration;
  const onOpen = useOpen();
  const rows = list.rows && [...newer, ...list.rows];
  const selected = useSelection({ label, rows: rows ?? [] });
  if (list.error && !list.rows) return <ListError error={list.error} onRetry={list.retry} />;
  if (rows?.length === 0 && list.isFiltered) {
    const clear = (
      <Button variant="outline" onClick={list.clear}>
        Clear filters
      </Button>
    );
    return <EmptyState title={noMatch} action={clear} />;
  }
  if (rows?.length === 0) {
    const { icon, title = noMatch, text } = list.empty ?? {};
    return (
      <EmptyState icon={icon} title={title} action={icon ? button : null}>
        {text}
      </EmptyState>
    );
  }
  const actions = RowActions && {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    cell: (row: Row) => <RowActions row={row} />,
    className: 'w-0 text-right',
  };
  const footer = (
    <div className="flex min-h-11 items-center justify-between gap-3 border-t px-4 py-1.5 text-xs text-muted-foreground tabular-nums">
      <p aria-live="polite">{describeRows(list, rows?.length ?? 0)}</p>
      <StaleNote query={list.age} />
      {list.hasMore ? (
        <Button variant="outline" size="sm" pending={list.isLoadingMore} onClick={list.loadMore}>
          {list.sort === undefined ? 'Load older' : 'Load more'}
        </Button>
      ) : null}
    </div>
  );
  if (list.Rows !== undefined) {
    return (
      <>
        <list.Rows rows={rows} isPartial={list.isFiltered || list.hasMore} />
        {list.hasMore ? footer : <StaleNote query={list.age} />}
      </>
    );
  }
  return (
    <>
      <DataTable
        label={label}
        columns={[...selected.columns, ...columns, ...(actions ? [actions] : [])]}
        rows={rows}
        rowId={rowId}
        isStale={list.isStale}
        sort={list.sort}
        sortings={sortings}
        onSort={list.setSort}
        onOpen={onOpen}
        footer={footer}
      />
      {selected.bar}
    </>
  );
}
