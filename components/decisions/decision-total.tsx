import { Timestamp } from '@/components/format/timestamp';
import type { CountedDecisions } from '@/lib/contract/decisions';
import { formatCount, formatNumber } from '@/lib/format-number';

/** States how many decisions the list counts, and in how many rows. */
export function DecisionTotal({ counts: { totals, log } }: { counts: CountedDecisions }) {
  const { total, refused } = totals;
  return (
    <p aria-live="polite" className="ml-auto text-sm text-muted-foreground tabular-nums">
      {formatCount(total, 'decision')}
      {refused > 0 && refused < total ? `, ${formatNumber(refused)} refused` : ''}
      {log.rows < total && log.decisions === total ? ` in ${formatCount(log.rows, 'row')}` : ''}
    </p>
  );
}

/** Explains a list that has fewer rows than decisions. */
export function DecisionSampling({ counts }: { counts: CountedDecisions }) {
  const { totals, log } = counts;
  const isCut = Date.parse(counts.from) < Date.parse(log.complete_from);
  if (log.rows >= log.decisions && log.unattributed === 0 && !isCut) return null;
  return (
    <p className="text-xs text-muted-foreground">
      {log.rows < log.decisions ? 'In a flood, one row stands for many decisions of the same second. ' : ''}
      {log.unattributed > 0
        ? `Up to ${formatNumber(log.unattributed)} more may match: in a flood, rows lack what differs between their decisions. `
        : ''}
      {isCut ? (
        <>
          The rows begin at <Timestamp at={log.complete_from} />
          {counts.source === 'statistics' && totals.total > log.decisions
            ? `: they hold ${formatNumber(log.decisions)} of these decisions, the chart counts all.`
            : ', because the log is full. Earlier decisions are only in the statistics.'}
        </>
      ) : null}
    </p>
  );
}
