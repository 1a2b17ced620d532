import { Plus } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { formatCount, formatNumber } from '@/components/format/number';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ExportMenu, FilterBar } from '@/components/list/filter-bar';
import { ListError } from '@/components/list/list-error';
import { ListTabs } from '@/components/list/list-tabs';
import { StaleNote } from '@/components/list/stale-note';
import { type ResourceDeclaration, type ResourceListState, useResourceList } from '@/components/list/use-resource-list';
import { useDialog } from '@/components/shell/dialogs';
import { PageHeader } from '@/components/shell/page-header';
import { RoleButton } from '@/components/shell/role-button';
import { Button } from '@/components/ui/button';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** Shows a list of the API. `query` adds parameters to its filters. */
export function ResourceList<Row>(props: { declaration: ResourceDeclaration<Row>; query?: Record<string, string> }) {
  return <ListView list={useResourceList(props.declaration, { query: props.query })} />;
}

interface ListViewProps<Row> {
  list: ResourceListState<Row>;
  newer?: readonly Row[];
}

/** Header, tabs, filters, export and table of a list, with a button that loads the next page. */
export function ListView<Row>({ list, newer }: ListViewProps<Row>) {
  const { title, description, needs, add, label, tabs, search, exported } = list.declaration;
  const button = add ? <AddButton add={add} needs={needs ?? 'viewer'} /> : null;
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
      <Rows list={list} newer={newer} button={button} />
    </>
  );
}

function AddButton(props: { add: NonNullable<ResourceDeclaration<never>['add']>; needs: MemberRole }) {
  const { add, needs } = props;
  const open = useDialog();
  const content = (
    <>
      <Plus aria-hidden /> {add.label}
    </>
  );
  if ('href' in add) {
    return (
      <Button asChild data-new>
        <Link href={add.href} prefetch={false}>
          {content}
        </Link>
      </Button>
    );
  }
  return (
    <RoleButton data-new needs={needs} onClick={() => open((onClose) => <add.Dialog onClose={onClose} />)}>
      {content}
    </RoleButton>
  );
}

/** States how many rows are shown, and how many there are: `The first 100 of 1,200`. */
function describeRows<Row>({ declaration: { sort, noun }, hasMore, total }: ResourceListState<Row>, shown: number) {
  if (!hasMore) return noun === undefined ? `${formatNumber(shown)} total` : formatCount(shown, noun);
  const all = total === null ? '' : ` of ${noun === undefined ? formatNumber(total) : formatCount(total, noun)}`;
  return `The ${sort === undefined ? 'newest' : 'first'} ${formatNumber(shown)}${all}`;
}

const useNothing = () => undefined;
const useNoSelection = () => ({ columns: [], bar: null });

function Rows<Row>({ list, newer = [], button }: ListViewProps<Row> & { button: ReactNode }) {
  const {
    label,
    columns,
    rowId,
    noMatch,
    sortings,
    sort,
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
        footer={
          <div className="flex min-h-11 items-center justify-between gap-3 border-t px-4 py-1.5 text-xs text-muted-foreground tabular-nums">
            <p aria-live="polite">{describeRows(list, rows?.length ?? 0)}</p>
            <StaleNote query={list.age} />
            {list.hasMore ? (
              <Button variant="outline" size="sm" pending={list.isLoadingMore} onClick={list.loadMore}>
                {sort === undefined ? 'Load older' : 'Load more'}
              </Button>
            ) : null}
          </div>
        }
      />
      {selected.bar}
    </>
  );
}
