import { ArrowRight } from 'lucide-react';
import { computeDifferences } from '@/components/audit-log/differences';
import { Timestamp } from '@/components/format/timestamp';
import { cn } from '@/components/ui/cn';
import type { AuditRecord } from '@/lib/contract/audit-log';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';

/** Lists what a change changed: each value before and after. */
export function DifferenceList({ record: { before, after } }: { record: AuditRecord }) {
  const changed = computeDifferences(before, after);
  if (changed.length === 0) return <p className="text-sm text-muted-foreground">No values were changed.</p>;
  return (
    <dl className="divide-y overflow-hidden rounded-md border bg-background text-sm">
      {changed.map(({ label, before: old, after: now }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rules may be added alike, and the list never changes
        <div key={index} className="grid gap-x-4 gap-y-0.5 px-3 py-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
          <dt className="break-words text-muted-foreground">{label}</dt>
          <dd className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 tabular-nums">
            {old === null ? null : <Value text={old} look={now === null ? 'removed' : 'old'} />}
            {old === null || now === null ? null : (
              <ArrowRight role="img" aria-label="became" className="size-3.5 shrink-0 text-muted-foreground" />
            )}
            {now === null ? null : <Value text={now} look="now" />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const LOOKS = {
  now: 'font-medium',
  old: 'text-muted-foreground',
  removed: 'text-muted-foreground line-through',
} as const;

function Value({ text, look }: { text: string; look: keyof typeof LOOKS }) {
  const isTime = TimestampSchema.safeParse(text).success;
  return (
    <bdi className={cn('min-w-0 break-words', LOOKS[look])}>{isTime ? <Timestamp at={text} seconds /> : text}</bdi>
  );
}
