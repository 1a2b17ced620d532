import { type MouseEvent, type ReactNode, useState } from 'react';
import type { Selection } from '@/components/batch/batch-action';
import type { TableColumn } from '@/components/list/data-table';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { describeMissingRole, useRank } from '@/components/shell/member';
import { Checkbox } from '@/components/ui/checkbox';

const SelectionBar = loadOnDemand(() => import('@/components/batch/selection-bar'));

export interface Selectable<Row> {
  /** Accessible name of the list. */
  label: string;
  rows: readonly Row[];
}

/** Provides the checkbox column of a table and the bar of actions for its selected rows. */
export function useSelection<Row>(selection: Selection<Row>, list: Selectable<Row>) {
  const { marks, bar } = useMarks(selection, list);
  if (marks === null) return { columns: [], bar };
  const column: TableColumn<Row> = {
    id: 'selected',
    header: marks.allBox,
    cell: marks.rowBox,
    className: 'w-0 pr-0',
    phone: 'mark',
  };
  return { columns: [column], bar };
}

interface Marks<Row> {
  /** Checkbox that selects all rows. */
  allBox: ReactNode;
  /** Checkbox of a row, or an empty placeholder if the row cannot be selected. */
  rowBox: (row: Row) => ReactNode;
}

/**
 * Provides checkboxes for a list of any layout, and the bar of actions. Checkboxes are null if no row can be selected.
 */
export function useMarks<Row>(
  selection: Selection<Row>,
  { label, rows }: Selectable<Row>,
): { marks: Marks<Row> | null; bar: ReactNode } {
  const { id, name, canSelect = () => true, actions } = selection;
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string | null>(null);
  const rank = useRank();
  const may = actions.some(({ needs }) => rank >= describeMissingRole(needs).rank);
  const selectable = may ? rows.filter(canSelect) : [];
  if (selectable.length === 0) return { marks: null, bar: null };
  // Rows that a filter or page hides are not selected, so an action never changes hidden rows.
  const chosen = selectable.filter((row) => ids.has(id(row)));
  const select = (which: readonly Row[]) => setIds(new Set(which.map(id)));
  const toggle = (row: Row, event: MouseEvent) => {
    const [from, to] = [selectable.findIndex((each) => id(each) === last), selectable.indexOf(row)];
    const range = event.shiftKey && from >= 0 ? selectable.slice(Math.min(from, to), Math.max(from, to) + 1) : [row];
    const next = new Set(chosen.map(id));
    for (const each of range) {
      if (ids.has(id(row))) next.delete(id(each));
      else next.add(id(each));
    }
    setIds(next);
    setLast(id(row));
  };
  const all = chosen.length === selectable.length;
  const marks: Marks<Row> = {
    allBox: (
      <Checkbox
        className="block"
        aria-label={`Select all ${label} shown`}
        checked={all || (chosen.length > 0 && 'indeterminate')}
        onCheckedChange={() => select(all ? [] : selectable)}
      />
    ),
    rowBox: (row) =>
      selectable.includes(row) ? (
        <Checkbox
          className="block"
          aria-label={`Select ${name(row)}`}
          checked={ids.has(id(row))}
          onClick={(event) => toggle(row, event)}
        />
      ) : (
        <span className="block size-4" />
      ),
  };
  const bar =
    chosen.length === 0 ? null : (
      // The lazy-loaded bar loses the type parameter; all its rows come from this list.
      <SelectionBar
        selection={selection as Selection<unknown>}
        rows={chosen}
        onSelectAll={all ? undefined : () => select(selectable)}
        onSettled={select as (refused: readonly unknown[]) => void}
        onClear={() => select([])}
      />
    );
  return { marks, bar };
}

/** Selects all rows of a list that is not a table. */
export function MarkAll({ marks }: { marks: Pick<Marks<never>, 'allBox'> | null }) {
  return marks === null ? null : (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is in it
    <label className="flex w-fit items-center gap-3 text-xs text-muted-foreground">{marks.allBox} Select all</label>
  );
}
