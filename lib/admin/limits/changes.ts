import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { buildResetReversal } from '@/lib/admin/change-kind/reset';

export const COUNTER_CHANGES: ChangeKinds<'counters'> = {
  'counters.reset': {
    thing: 'counters',
    reversal: buildResetReversal((target) => `What was counted for ${target} before the reset counts again.`),
  },
};
