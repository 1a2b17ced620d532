import { History, Undo2 } from 'lucide-react';
import { useUndo } from '@/components/api/use-undo';
import { AuditSentence } from '@/components/audit-log/audit-sentence';
import { DifferenceList } from '@/components/audit-log/difference-list';
import { nameAuditTarget } from '@/components/audit-log/sentences';
import { CopyButton } from '@/components/format/copy-button';
import { Timestamp } from '@/components/format/timestamp';
import { buildHistoryHref } from '@/components/links/history-link';
import { DetailList } from '@/components/list/detail-list';
import { Drawer } from '@/components/shell/drawer';
import { useHasRole } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import type { AuditRecord } from '@/lib/contract/audit-log';

export default function AuditRecordSheet({ record, onClose }: { record: AuditRecord; onClose: () => void }) {
  const { undo } = useUndo();
  const operator = useHasRole('operator');
  const renderCode = (value: string | null, label: string) =>
    value === null ? (
      'none'
    ) : (
      <span className="flex items-center gap-0.5">
        <span className="truncate font-mono text-xs">{value}</span>
        <CopyButton value={value} label={label} />
      </span>
    );
  return (
    <Drawer title={`Change ${record.seq}`} className="w-xl" onClose={onClose}>
      <div className="pr-8">
        <h2 className="text-lg leading-snug text-pretty">
          <AuditSentence record={record} />
        </h2>
        <p className="mt-1 text-sm text-muted-foreground">
          <Timestamp at={record.at} seconds />
        </p>
      </div>
      {record.reason ? (
        <section>
          <h3 className="text-xs text-muted-foreground">Reason</h3>
          <p className="mt-0.5 text-sm break-words whitespace-pre-wrap">{record.reason}</p>
        </section>
      ) : null}
      <section>
        <h3 className="mb-1.5 text-xs text-muted-foreground">What changed</h3>
        <DifferenceList record={record} />
      </section>
      <div className="flex flex-wrap items-center gap-2">
        {record.undo.possible && operator ? (
          <Button onClick={() => void undo(record.seq).then(onClose)}>
            <Undo2 aria-hidden /> Undo this change
          </Button>
        ) : null}
        <Button asChild variant="outline" className="max-w-full">
          <Link href={buildHistoryHref(record.target)} onClick={onClose}>
            <History aria-hidden /> <span className="truncate">All changes to {nameAuditTarget(record)}</span>
          </Link>
        </Button>
      </div>
      {record.undo.possible ? null : <p className="text-sm text-muted-foreground">{record.undo.why}</p>}
      <DetailList
        className="border-t pt-4 lg:grid-cols-2"
        details={[
          { name: 'Number', value: record.seq },
          { name: 'Action', value: <span className="font-mono text-xs">{record.action}</span> },
          { name: 'Target', value: renderCode(record.target, 'Copy target') },
          { name: 'Actor', value: renderCode(record.actor, 'Copy actor') },
          { name: 'From address', value: renderCode(record.address, 'Copy address') },
          { name: 'Request', value: renderCode(record.request_id, 'Copy request id') },
          { name: 'Hash', value: renderCode(record.hash, 'Copy hash') },
        ]}
      />
    </Drawer>
  );
}
