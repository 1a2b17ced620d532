import { TraceStep } from '@/components/explanation/trace-step';
import { formatShortTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { nameReason } from '@/components/vocabulary/reasons';
import type { DecisionExplanation } from '@/lib/contract/explain';
import { formatNumber } from '@/lib/format-number';

/** Shows the answer that the next such request would get. */
export function VerdictStep({ explanation }: { explanation: DecisionExplanation }) {
  const { zone } = useTimeZone();
  const { at, decision } = explanation;
  const { allowed, status, error, error_description: description, retry_after: wait, remaining } = decision;
  if (allowed) {
    return (
      <TraceStep state="passes" title={status === 'bypassed' ? 'Allowed, limits bypassed' : 'Allowed'}>
        {remaining === null ? null : <p>{formatNumber(remaining)} remaining in the tightest limit.</p>}
      </TraceStep>
    );
  }
  const until = wait === undefined ? null : formatShortTime(Date.parse(at) + wait * 1000, at, zone);
  return (
    <TraceStep
      state="refuses"
      title={`Refused: ${nameReason(error, decision.limit_name) ?? 'unavailable'}`}
      aside={until ? `until ${until}` : null}
    >
      {description ? <p>{description}</p> : null}
    </TraceStep>
  );
}
