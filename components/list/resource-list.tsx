import { Ellipsis, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatNumber } from '@/components/format/number';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ExportMenu } from '@/components/list/export-menu';
import { FilterBar } from '@/components/list/filter-bar';
import { ListError } from '@/components/list/list-error';
import { ListTabs } from '@/components/list/list-tabs';
import type { ResourceListState } from '@/components/list/use-resource-list';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { Menu } from '@/components/ui/dropdown-menu';

interface ResourceListProps<Row> {
  list: ResourceListState<Row>;
  /** Runs when something is to be added to the list. */
  onAdd?: () => void;
  /** In the last column: a `RowMenu`, or buttons. */
  rowActions?: (row: Row) => ReactNode;
  /** Rows that are newer than those of the list. */
  newer?: readonly Row[];
}

/** A list of the API: header, tabs, filters, export, table, and the way to the next page. */
export function ResourceList<Row>({ list, onAdd, rowActions, newer = [] }: ResourceListProps<Row>) {
  const { title, description, needs, add, label, tabs, search, exported } = list.declaration;
  const may = useMay(needs ?? 'viewer');
  const button = add ? (
    <Button onClick={onAdd} disabled={!may}>
      <Plus aria-hidden /> {add}
    </Button>
  ) : null;
  return (
    <>
      {title ? <PageHeader title={title} description={description} needs={needs} actions={button} /> : null}
      {tabs && list.tab ? <ListTabs label={label} value={list.tab} onChange={list.setTab} tabs={tabs} /> : null}
      {search ? (
        <FilterBar list={list}>
          {exported ? <ExportMenu href={list.download} /> : null}
          {title ? null : button}
        </FilterBar>
      ) : null}
      <Rows list={list} rowActions={rowActions} newer={newer} button={button} />
    </>
  );
}

function Rows<Row>({
  list,
  rowActions,
  newer,
  button,
}: Required<Pick<ResourceListProps<Row>, 'list' | 'newer'>> &
  Pick<ResourceListProps<Row>, 'rowActions'> & { button: ReactNode }) {
  const { label, columns, rowId, noMatch, sortings, sort } = list.declaration;
  if (list.error && !list.rows) return <ListError error={list.error} onRetry={list.retry} />;
  const rows = list.rows && [...newer, ...list.rows];
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
  const shown = formatNumber(rows?.length ?? 0);
  const actions = rowActions && {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    cell: rowActions,
    className: 'w-0 text-right',
  };
  return (
    <DataTable
      label={label}
      columns={actions ? [...columns, actions] : columns}
      rows={rows}
      rowId={rowId}
      isStale={list.isStale}
      sort={list.sort}
      sortings={sortings}
      onSort={list.setSort}
      footer={
        <div className="flex min-h-11 items-center justify-between gap-3 border-t px-4 py-1.5 text-xs text-muted-foreground tabular-nums">
          <p aria-live="polite">
            {list.hasMore ? `The ${sort === undefined ? 'newest' : 'first'} ${shown}` : `${shown} total`}
          </p>
          {list.hasMore ? (
            <Button variant="outline" size="sm" pending={list.isLoadingMore} onClick={list.loadMore}>
              {sort === undefined ? 'Load older' : 'Load more'}
            </Button>
          ) : null}
        </div>
      }
    />
  );
}

/** The menu at the end of a row. `name` completes its label: "Actions for 10.0.0.1". */
export function RowMenu({ name, children }: { name: string; children: ReactNode }) {
  const trigger = (
    <Button variant="ghost" size="icon" className="-my-1 text-muted-foreground" aria-label={`Actions for ${name}`}>
      <Ellipsis aria-hidden />
    </Button>
  );
  return (
    <Menu trigger={trigger} align="end">
      {children}
    </Menu>
  );
}
