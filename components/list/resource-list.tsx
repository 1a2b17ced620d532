'use client';

import type { ReactNode } from 'react';
import { formatNumber } from '@/components/format/number';
import { type Column, DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { FilterBar } from '@/components/list/filter-bar';
import { ListError } from '@/components/list/list-error';
import { ListTabs } from '@/components/list/list-tabs';
import type { ResourceListState } from '@/components/list/use-resource-list';
import { Button } from '@/components/ui/button';

interface ResourceListProps<Row> {
  list: ResourceListState<Row>;
  columns: readonly Column<Row>[];
  rowId: (row: Row) => string | number;
  /** In the place of the rows when there are none at all. */
  empty: ReactNode;
  /** Title in the place of the rows when none passes the filters: "No key matches". */
  noMatch: string;
  /** Rows that are newer than those of the list. */
  newer?: readonly Row[];
  /** On the right of the filters. */
  children?: ReactNode;
}

/** A list of the API: tabs, filters, export, table, and the way to the next page. */
export function ResourceList<Row>({ list, columns, rowId, empty, noMatch, newer, children }: ResourceListProps<Row>) {
  const { label, tabs, search, facets } = list.definition;
  return (
    <>
      {tabs && list.tab ? <ListTabs label={label} value={list.tab} onChange={list.setTab} tabs={tabs} /> : null}
      {search || facets ? <FilterBar list={list}>{children}</FilterBar> : null}
      <ResourceRows {...{ list, columns, rowId, empty, noMatch, newer }} />
    </>
  );
}

function ResourceRows<Row>(props: Omit<ResourceListProps<Row>, 'children'>) {
  const { list, columns, rowId, empty, noMatch, newer = [] } = props;
  const { label, sortings, sort } = list.definition;
  if (list.error && !list.rows) return <ListError error={list.error} onRetry={list.retry} />;
  const rows = list.rows && [...newer, ...list.rows];
  if (rows?.length === 0 && !list.isFiltered) return empty;
  if (rows?.length === 0) {
    return (
      <EmptyState
        title={noMatch}
        action={
          <Button variant="outline" onClick={list.clear}>
            Clear filters
          </Button>
        }
      />
    );
  }
  const shown = formatNumber(rows?.length ?? 0);
  return (
    <DataTable
      label={label}
      columns={columns}
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
