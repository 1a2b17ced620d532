import { FileClock, Undo2 } from 'lucide-react';
import { AuditSentence } from '@/components/audit-log/audit-sentence';
import { formatAuditSentence } from '@/components/audit-log/sentences';
import type { Selection } from '@/components/batch/batch-action';
import { type Selectable, useSelection } from '@/components/batch/use-selection';
import { reasonColumn, timeColumn } from '@/components/list/common-columns';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { Button } from '@/components/ui/button';
import { type AuditRecord, listAudit } from '@/lib/contract/audit-log';

const AuditRecordSheet = loadOnDemand(() => import('@/components/audit-log/audit-record-sheet'));

const SELECTION: Selection<AuditRecord> = {
  nouns: ['change', 'changes'],
  id: ({ seq }) => String(seq),
  name: (record) => `change ${record.seq}: ${formatAuditSentence(record)}`,
  target: ({ target }) => target,
  canSelect: ({ undo }) => undo.possible,
  actions: [
    {
      label: 'Undo…',
      icon: Undo2,
      needs: 'operator',
      title: (what) => `Undo ${what}?`,
      description: 'The values from before these changes are restored.',
      submitLabel: 'Undo changes',
      example: 'The wrong list was imported',
      done: (what) => `${what} undone`,
      buildCall: ({ seq }, { reason }) => ({ operation: 'undoChange', item: { seq, reason } }),
    },
  ],
};

const useChangeSelection = (list: Selectable<AuditRecord>) => useSelection(SELECTION, list);

/** Base of every list of changes: newest first, each row opens its record. */
export const CHANGES: ResourceDeclaration<AuditRecord> = {
  key: 'audit',
  contract: listAudit,
  label: 'Changes',
  noMatch: 'No change matches',
  empty: { icon: FileClock, title: 'No changes yet' },
  rowId: ({ seq }) => seq,
  columns: [
    { ...timeColumn('at', 'When'), phoneLabel: undefined },
    {
      id: 'change',
      header: 'Change',
      cell: (record) => (
        <p className="max-w-160 min-w-64 py-1 text-pretty whitespace-normal max-sm:min-w-0">
          <AuditSentence record={record} />
        </p>
      ),
      className: 'w-full',
      phone: 'title',
    },
    reasonColumn('max-lg:hidden text-muted-foreground'),
  ],
  useSelection: useChangeSelection,
  RowActions,
  useOpen,
};

function useOpen() {
  const open = useDialog();
  return (record: AuditRecord) => open((onClose) => <AuditRecordSheet record={record} onClose={onClose} />);
}

function RowActions({ row }: { row: AuditRecord }) {
  const open = useOpen();
  return (
    <Button variant="ghost" size="sm" onClick={() => open(row)} aria-label={`Details of change ${row.seq}`}>
      Details
    </Button>
  );
}
