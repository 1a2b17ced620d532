import type { Decision } from '@/lib/enforcement/decision';
import type { DecisionSpan } from '@/lib/tracing/tracing';

/** Ends the span of a submission with its decisions. */
export function endSpan<T>(
  submitted: Promise<T>,
  span: DecisionSpan | null,
  decisionsOf: (decided: T) => readonly Decision[],
): Promise<T> {
  if (span === null) return submitted;
  return submitted.then(
    (decided) => {
      span.end(decisionsOf(decided));
      return decided;
    },
    (fault: unknown) => {
      span.end(null);
      throw fault;
    },
  );
}
