import { diffLines } from 'diff';
import { useUndo } from '@/components/audit-log/use-undo';
import { CopyButton } from '@/components/format/copy-button';
import { Instant } from '@/components/format/instant';
import { DetailList } from '@/components/list/detail-list';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Dialog, SheetContent } from '@/components/ui/dialog';
import type { AuditRecord } from '@/lib/contract/audit-log';

export default function AuditRecordSheet({ record, onClose }: { record: AuditRecord; onClose: () => void }) {
  const { undo } = useUndo();
  const code = (value: string | null, label: string) =>
    value === null ? (
      '—'
    ) : (
      <span className="flex items-center gap-0.5">
        <span className="truncate font-mono text-xs">{value}</span>
        <CopyButton value={value} label={label} />
      </span>
    );
  return (
    <Dialog open onOpenChange={onClose}>
      <SheetContent side="right" title={`Change ${record.seq}`} className="w-xl max-w-full overflow-y-auto bg-popover">
        <div className="flex flex-col gap-5 p-5">
          <div className="pr-8">
            <h2 className="text-lg font-semibold">{record.action}</h2>
            <p className="text-sm text-muted-foreground">
              {record.actor_name}, <Instant at={record.at} seconds />
            </p>
          </div>
          <DetailList
            className="lg:grid-cols-2"
            details={[
              { name: 'Number', value: record.seq },
              { name: record.target_type, value: code(record.target, 'Copy target') },
              { name: 'From', value: code(record.address, 'Copy address') },
              { name: 'Actor', value: code(record.actor, 'Copy actor') },
              { name: 'Request', value: code(record.request_id, 'Copy request id') },
              { name: 'Hash', value: code(record.hash, 'Copy hash') },
            ]}
          />
          {record.reason ? (
            <div>
              <h3 className="text-xs text-muted-foreground">Reason</h3>
              <p className="mt-0.5 text-sm break-words whitespace-pre-wrap">{record.reason}</p>
            </div>
          ) : null}
          <div>
            <h3 className="mb-1.5 text-xs text-muted-foreground">Before and after</h3>
            <AuditDiff before={record.before} after={record.after} />
          </div>
          {record.undo.possible ? (
            <Button variant="outline" className="self-start" onClick={() => void undo(record.seq).then(onClose)}>
              Undo this change
            </Button>
          ) : (
            <p className="text-xs text-muted-foreground">{record.undo.why}</p>
          )}
        </div>
      </SheetContent>
    </Dialog>
  );
}

function lines(value: unknown): string {
  return value === null || value === undefined ? '' : `${JSON.stringify(value, null, 2)}\n`;
}

const MARK = { added: '+', removed: '−', same: ' ' } as const;
const LOOK = {
  added: 'bg-success-soft text-success-text',
  removed: 'bg-destructive-soft text-destructive-text',
  same: 'text-muted-foreground',
} as const;

function AuditDiff({ before, after }: { before: unknown; after: unknown }) {
  const parts = diffLines(lines(before), lines(after)).flatMap((part, index) => {
    const kind = part.added ? 'added' : part.removed ? 'removed' : 'same';
    return part.value
      .split('\n')
      .slice(0, -1)
      .map((text, line) => ({ key: `${index}.${line}`, kind, text }) as const);
  });
  if (parts.length === 0) return <p className="text-xs text-muted-foreground">No values were changed.</p>;
  return (
    <pre
      className="max-h-80 overflow-auto rounded-md border bg-background py-1.5 font-mono text-xs leading-5"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      {parts.map(({ key, kind, text }) => (
        <span key={key} className={cn('block px-3', LOOK[kind])}>
          <span className="select-none">{MARK[kind]} </span>
          {text}
        </span>
      ))}
    </pre>
  );
}
