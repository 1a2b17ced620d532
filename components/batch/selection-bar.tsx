import type { BatchAction, Selection } from '@/components/batch/batch-action';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { useBottomBar } from '@/components/shell/use-bottom-bar';
import { Button } from '@/components/ui/button';
import { formatNumber } from '@/lib/format-number';

const BatchDialog = loadOnDemand(() => import('@/components/batch/batch-dialog'));

interface SelectionBarProps {
  selection: Selection<unknown>;
  rows: readonly unknown[];
  onSelectAll: (() => void) | undefined;
  /** @param refused rows that the action refused */
  onSettled: (refused: readonly unknown[]) => void;
  onClear: () => void;
}

/** Bar that shows the number of selected rows and the actions for them. */
export default function SelectionBar({ selection, rows, onSelectAll, onSettled, onClear }: SelectionBarProps) {
  const open = useDialog();
  const run = (action: BatchAction<unknown>) =>
    open((onClose) => (
      <BatchDialog selection={selection} action={action} rows={rows} onSettled={onSettled} onClose={onClose} />
    ));
  return (
    <section
      ref={useBottomBar()}
      aria-label="Selected rows"
      className="sticky bottom-4 z-20 flex flex-wrap items-center gap-2 rounded-lg border bg-popover px-4 py-2.5 shadow-(--shadow-pop) max-sm:bottom-2 max-sm:px-3"
    >
      <p aria-live="polite" className="mr-auto text-sm font-medium tabular-nums">
        {formatNumber(rows.length)} selected
      </p>
      {selection.actions.map((action) => (
        <RoleButton
          key={action.label}
          needs={action.needs}
          variant="outline"
          size="sm"
          className={action.destructive ? 'text-destructive-text' : undefined}
          onClick={() => run(action)}
        >
          <action.icon aria-hidden /> {action.label}
        </RoleButton>
      ))}
      {onSelectAll ? (
        <Button variant="ghost" size="sm" onClick={onSelectAll}>
          Select all shown
        </Button>
      ) : null}
      <Button variant="ghost" size="sm" onClick={onClear}>
        Clear selection
      </Button>
    </section>
  );
}
