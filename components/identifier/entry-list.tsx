import { Identifier, IdentifierMenuItems } from '@/components/identifier/identifier';
import { describeNarrowerRange } from '@/components/identifier/narrower-words';
import { isRange, type LimitedIdentity, type OverriddenTarget } from '@/components/links/target';
import type { TableColumn } from '@/components/list/data-table';
import { RowMenu } from '@/components/list/row-menu';
import type { EmptyText } from '@/components/list/use-resource-list';
import { type Action, ActionItems } from '@/components/shell/action';
import { Badge } from '@/components/ui/badge';
import { formatRangeSize } from '@/lib/contract/fields/wide-range';
import { formatCount } from '@/lib/format-number';
import { parseRange } from '@/lib/limiter/address';

/** Builds what the lists of allowlist entries and overrides share. Each tab has its own text for an empty list. */
export const buildEntryList = (active: EmptyText, expired: EmptyText) =>
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

/** Notes of the API on an exemption: see `listAllowlist` and `listOverrides`. */
interface Overlapping {
  narrower?: string | undefined;
  covered_by?: string | undefined;
  within?: string | undefined;
  covers?: number | undefined;
}

/** Words for the overlaps of an exemption with others, each with an explanation. */
function describeOverlaps({ covered_by: covering, within, covers }: Overlapping): { text: string; title: string }[] {
  return [
    ...(covering === undefined
      ? []
      : [{ text: `covered by ${covering}`, title: 'An allowlist entry lets the same requests pass' }]),
    ...(within === undefined ? [] : [{ text: `within ${within}`, title: 'It takes precedence over that override' }]),
    ...(covers === undefined
      ? []
      : [
          {
            text: `includes ${formatCount(covers, 'narrower one', 'narrower ones')}`,
            title: 'Entries of the same kind for a part of its range',
          },
        ]),
  ];
}

/** Describes the size of a range: "65,536 addresses". Null for a single address or a user. */
function describeRangeSize(identity: LimitedIdentity): string | null {
  const range = isRange(identity) ? parseRange(identity.identifier) : null;
  return range === null ? null : formatRangeSize(range);
}

/** Identifier column: an address, range or user, its overlaps, and the narrower range that covers its use. */
export function identifierColumn<Row extends OverriddenTarget & Overlapping>(): TableColumn<Row> {
  return {
    id: 'identifier',
    header: 'Identifier',
    cell: (row) => (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Identifier target={row} menu={false} className="max-w-60 max-sm:max-w-full" />
        {describeRangeSize(row) === null ? null : (
          <span className="text-xs whitespace-nowrap text-muted-foreground tabular-nums">{describeRangeSize(row)}</span>
        )}
        {describeOverlaps(row).map(({ text, title }) => (
          <Badge key={text} variant="outline" title={title}>
            {text}
          </Badge>
        ))}
        {row.narrower === undefined ? null : (
          <Badge variant="outline" title="Every address that used it in the last 30 days is in this range">
            {describeNarrowerRange(row.narrower)}
          </Badge>
        )}
      </span>
    ),
    phone: 'title',
  };
}

/** Menu of an entry: its own actions and those on its identifier, removal last. */
export function EntryMenu<Row extends OverriddenTarget>({
  actions,
  row,
  omit,
}: {
  actions: Record<'edit' | 'remove', Action<Row>>;
  row: Row;
  omit?: 'allowlist';
}) {
  const { edit, remove } = actions;
  return (
    <RowMenu name={row.identifier}>
      <ActionItems actions={{ edit }} row={row} />
      <IdentifierMenuItems target={row} omit={omit} />
      <ActionItems actions={{ remove }} row={row} />
    </RowMenu>
  );
}
