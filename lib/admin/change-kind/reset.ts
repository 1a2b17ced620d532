import { readMembers } from '@/lib/admin/change-kind/record';
import type { Reversal } from '@/lib/admin/change-kind/reversal';
import { RESET_KEPT_MINUTES } from '@/lib/contract/counters';
import type { KeptReset } from '@/lib/counters/store';
import { MINUTE, type Millis } from '@/lib/units';

const KEPT_FOR: Millis = RESET_KEPT_MINUTES * MINUTE;
/** Extra time before the store deletes kept counters. It covers clock differences, so that an offered undo works. */
const MARGIN: Millis = MINUTE;

/** Names the place in which a reset keeps the cleared counters. @param seq of its audit record */
export function nameKeptReset(seq: number, now: Millis): KeptReset {
  return { seq, until: now + KEPT_FOR + MARGIN };
}

/** Undoes a reset: adds the cleared usage to the usage counted since. */
export function buildResetReversal(restored: (target: string) => string): Reversal {
  return {
    role: 'operator',
    obstacle: ({ action, at, after }, now) => {
      if (action.endsWith('.undo')) return 'Reset again instead.';
      if (readMembers(after).kept === false) return 'It cleared more counters than can be kept.';
      return now < at + KEPT_FOR ? null : `A reset can be undone for ${RESET_KEPT_MINUTES} minutes.`;
    },
    plan: async ({ services }, { seq, target }) => ({
      counters: [services.counters.restore(seq)],
      restored: restored(target),
    }),
  };
}
