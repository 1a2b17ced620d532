import { FileClock } from 'lucide-react';
import { AuditSentence } from '@/components/audit-log/audit-sentence';
import { useChangeSelection } from '@/components/audit-log/select-changes';
import { reasonColumn, timeColumn } from '@/components/list/common-columns';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { Button } from '@/components/ui/button';
import { type AuditRecord, listAudit } from '@/lib/contract/audit-log';

const AuditRecordSheet = loadOnDemand(() => import('@/components/audit-log/audit-record-sheet'));

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
