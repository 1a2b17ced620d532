import { FileClock } from 'lucide-react';
import dynamic from 'next/dynamic';
import type { ComponentProps } from 'react';
import { reasonColumn, textColumn, timeColumn } from '@/components/list/common-columns';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { useDialog } from '@/components/shell/dialogs';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { type AuditRecord, listAudit } from '@/lib/contract/audit-log';

const AuditRecordSheet = dynamic(() => import('@/components/audit-log/audit-record-sheet'), { ssr: false });

/** What every list of changes has in common: newest first, each to be opened. */
export const CHANGES: ResourceDeclaration<AuditRecord> = {
  key: 'audit',
  contract: listAudit,
  label: 'Changes',
  noMatch: 'No change matches',
  empty: { icon: FileClock, title: 'Nothing was changed yet' },
  rowId: ({ seq }) => seq,
  columns: [
    timeColumn('at', 'When'),
    textColumn('actor_name', 'Who', 'block max-w-48 truncate max-sm:max-w-18'),
    {
      id: 'action',
      header: 'Action',
      cell: (record) => (
        <div className="max-md:py-1">
          <OpenRecord record={record} size="inline" className="hover:opacity-80">
            <Badge className="font-mono">{record.action}</Badge>
          </OpenRecord>
          <p className="max-w-40 truncate font-mono text-xs text-muted-foreground max-sm:max-w-32 md:hidden">
            {record.target}
          </p>
        </div>
      ),
    },
    {
      id: 'target',
      header: 'Target',
      cell: ({ target }) => (
        <span className="block max-w-56 truncate font-mono text-xs" title={target}>
          {target}
        </span>
      ),
      className: 'max-md:hidden',
    },
    reasonColumn('max-lg:hidden text-muted-foreground'),
  ],
  RowActions,
};

function OpenRecord({ record, ...button }: { record: AuditRecord } & ComponentProps<typeof Button>) {
  const open = useDialog();
  const show = () => open((onClose) => <AuditRecordSheet record={record} onClose={onClose} />);
  return <Button variant="ghost" onClick={show} {...button} />;
}

function RowActions({ row }: { row: AuditRecord }) {
  return (
    <OpenRecord record={row} size="sm" className="max-sm:hidden" aria-label={`Details of change ${row.seq}`}>
      Details
    </OpenRecord>
  );
}
