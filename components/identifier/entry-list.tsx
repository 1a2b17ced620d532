import { Identifier, IdentifierMenuItems } from '@/components/identifier/identifier';
import { narrowerWords } from '@/components/identifier/narrower-words';
import type { Target } from '@/components/links/target';
import type { TableColumn } from '@/components/list/data-table';
import { RowMenu } from '@/components/list/row-menu';
import type { EmptyText } from '@/components/list/use-resource-list';
import { type Action, ActionItems } from '@/components/shell/action';
import { Badge } from '@/components/ui/badge';

/** Builds what the lists of allowlist entries and overrides share. Each tab has its own text for an empty list. */
export const entryList = (active: EmptyText, expired: EmptyText) =>
  ({
    needs: 'operator',
    exported: true,
    search: { label: 'Search identifier or reason' },
    sort: '-created_at',
    refetchInterval: 30_000,
    rowId: ({ id }: { id: string }) => id,
    tabs: [
      { value: 'active', label: 'Active', query: { status: 'active' }, empty: active },
      { value: 'expired', label: 'Expired', query: { status: 'expired' }, empty: expired },
    ],
  }) as const;

/** Identifier column: an address, range or user, and the narrower range that covers its use. */
export function identifierColumn<Row extends Target & { narrower?: string | undefined }>(): TableColumn<Row> {
  return {
    id: 'identifier',
    header: 'Identifier',
    cell: (row) => (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Identifier target={row} menu={false} className="max-w-60 max-sm:max-w-full" />
        {row.narrower === undefined ? null : (
          <Badge variant="outline" title="Every address that used it in the last 30 days is in this range">
            {narrowerWords(row.narrower)}
          </Badge>
        )}
      </span>
    ),
    phone: 'title',
  };
}

/** Menu of an entry: its own actions and those on its identifier, removal last. */
export function EntryMenu<Row extends Target>({
  actions,
  row,
}: {
  actions: Record<'edit' | 'remove', Action<Row>>;
  row: Row;
}) {
  const { edit, remove } = actions;
  return (
    <RowMenu name={row.identifier}>
      <ActionItems actions={{ edit }} row={row} />
      <IdentifierMenuItems target={row} />
      <ActionItems actions={{ remove }} row={row} />
    </RowMenu>
  );
}
