import { createParser, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { useNow } from '@/components/format/use-now';
import { RANGES, type Range } from '@/components/links/decisions-href';
import { InstantInput, toInstant } from '@/lib/contract/fields/instant';

const LENGTH: Record<Range, number> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
};
/** Length of a bar in seconds. */
const STEP: Record<Range, number> = { '15m': 60, '1h': 60, '24h': 1800, '7d': 10_800, '30d': 86_400 };

const parseAsInstant = createParser({
  parse: (text) => {
    const { data } = InstantInput.safeParse(text);
    return data === undefined ? null : new Date(data);
  },
  serialize: (at: Date) => toInstant(at.getTime()),
  eq: (one, other) => one.getTime() === other.getTime(),
});

/** The time range of the decisions: up to now, or the bar of the histogram that was clicked. */
export function useDecisionTime() {
  const now = useNow();
  const [state, setState] = useQueryStates(
    { range: parseAsStringLiteral(RANGES).withDefault('1h'), from: parseAsInstant, to: parseAsInstant },
    { history: 'push' },
  );
  const step = STEP[state.range];
  // Whole steps, so that the query changes once a step and not every second.
  const end = now === null ? null : Math.ceil(now / (step * 1000)) * step * 1000;
  // The list starts where the range did when it was chosen: rows do not vanish while they are read.
  const [anchor, setAnchor] = useState<{ range: Range; from: number } | null>(null);
  if (end !== null && anchor?.range !== state.range) setAnchor({ range: state.range, from: end - LENGTH[state.range] });
  return {
    range: state.range,
    /** Since when decisions are listed, in milliseconds; null while the server renders. */
    since: anchor?.from ?? null,
    /** Seconds. */
    step,
    /** The whole span in milliseconds, null while the server renders. */
    span: end === null ? null : { from: end - LENGTH[state.range], to: end },
    picked: state.from && state.to ? { from: state.from, to: state.to } : null,
    setRange: (range: Range) => void setState({ range, from: null, to: null }),
    pick: (at: number | null) =>
      void setState(at === null ? { from: null, to: null } : { from: new Date(at), to: new Date(at + step * 1000) }),
  };
}

export type DecisionTime = ReturnType<typeof useDecisionTime>;

/** The time range as the API takes it. A live list has no end. */
export function timeQuery({ picked, since }: DecisionTime, live: boolean): Record<string, string> {
  if (picked && !live) return { from: picked.from.toISOString(), to: picked.to.toISOString() };
  return since === null ? {} : { from: new Date(since).toISOString() };
}
