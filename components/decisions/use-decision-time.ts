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
/** Length of a bar, in seconds. */
const STEP: Record<Range, number> = { '15m': 60, '1h': 60, '24h': 1800, '7d': 10_800, '30d': 86_400 };

const parseAsInstant = createParser({
  parse: (text) => {
    const { data } = InstantInput.safeParse(text);
    return data === undefined ? null : new Date(data);
  },
  serialize: (at: Date) => toInstant(at.getTime()),
  eq: (one, other) => one.getTime() === other.getTime(),
});

/** Time range of the decisions: a preset that ends now, or the clicked bar of the histogram. */
export function useDecisionTime() {
  const now = useNow();
  const [state, setState] = useQueryStates(
    { range: parseAsStringLiteral(RANGES).withDefault('1h'), from: parseAsInstant, to: parseAsInstant },
    { history: 'push' },
  );
  const step = STEP[state.range];
  // The end is rounded up to a step, so that the query changes once per step, not every second.
  const end = now === null ? null : Math.ceil(now / (step * 1000)) * step * 1000;
  // The list keeps the start that its range had when chosen, so that rows do not vanish during reading.
  const [anchor, setAnchor] = useState<{ range: Range; from: number } | null>(null);
  if (end !== null && anchor?.range !== state.range) setAnchor({ range: state.range, from: end - LENGTH[state.range] });
  return {
    range: state.range,
    /** Start of the listed range, in milliseconds. Null during server rendering. */
    since: anchor?.from ?? null,
    /** Length of a step, in seconds. */
    step,
    /** The whole range in milliseconds. Null during server rendering. */
    span: end === null ? null : { from: end - LENGTH[state.range], to: end },
    picked: state.from && state.to ? { from: state.from, to: state.to } : null,
    setRange: (range: Range) => void setState({ range, from: null, to: null }),
    pick: (at: number | null) =>
      void setState(at === null ? { from: null, to: null } : { from: new Date(at), to: new Date(at + step * 1000) }),
  };
}

export type DecisionTime = ReturnType<typeof useDecisionTime>;

/** Converts the time range for the API. A live list has no end. */
export function timeQuery({ picked, since }: DecisionTime, live: boolean): Record<string, string> {
  if (picked && !live) return { from: picked.from.toISOString(), to: picked.to.toISOString() };
  return since === null ? {} : { from: new Date(since).toISOString() };
}
