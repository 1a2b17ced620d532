import { createParser, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { useAtNow } from '@/components/format/use-now';
import { findRangeSpan, RANGE_STEPS, RANGES, type Range } from '@/components/links/decisions-href';
import { formatTimestamp, TimestampInput } from '@/lib/contract/fields/timestamp';

const parseAsTimestamp = createParser({
  parse: (text) => {
    const { data } = TimestampInput.safeParse(text);
    return data === undefined ? null : new Date(data);
  },
  serialize: (at: Date) => formatTimestamp(at.getTime()),
  eq: (one, other) => one.getTime() === other.getTime(),
});

/** Time range of the decisions: a preset that ends now, or the clicked bar of the histogram. */
export function useDecisionTime() {
  const [state, setState] = useQueryStates(
    { range: parseAsStringLiteral(RANGES).withDefault('1h'), from: parseAsTimestamp, to: parseAsTimestamp },
    { history: 'push' },
  );
  const { step } = RANGE_STEPS[state.range];
  const end = useAtNow((now) => findRangeSpan(state.range, now).to);
  const current = end === null ? null : findRangeSpan(state.range, end);
  const [held, setHeld] = useState<{ range: Range; from: number } | null>(null);
  const isHeld = held?.range === state.range;
  return {
    range: state.range,
    /** Length of a step, in seconds. */
    step,
    /** The whole range in milliseconds, for chart and rows alike. Null during server rendering. */
    span: current && (isHeld ? { ...current, from: held.from } : current),
    picked: state.from && state.to ? { from: state.from, to: state.to } : null,
    /** Keeps the start of the range, so that rows stay in place while further pages load. */
    hold: () => {
      if (current !== null && !isHeld) setHeld({ range: state.range, from: current.from });
    },
    setRange: (range: Range) => {
      setHeld(null);
      void setState({ range, from: null, to: null });
    },
    pick: (at: number | null) =>
      void setState(at === null ? { from: null, to: null } : { from: new Date(at), to: new Date(at + step * 1000) }),
  };
}

export type DecisionTime = ReturnType<typeof useDecisionTime>;

/** Converts the time range for the API. A live list has no end. */
export function buildTimeQuery({ picked, span }: DecisionTime, live: boolean): Record<string, string> {
  if (picked && !live) return { from: picked.from.toISOString(), to: picked.to.toISOString() };
  return span === null ? {} : { from: new Date(span.from).toISOString() };
}
