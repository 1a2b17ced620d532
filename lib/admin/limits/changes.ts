import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { resetReversal } from '@/lib/admin/change-kind/reset';

export const COUNTER_CHANGES: ChangeKinds<'counters'> = {
  'counters.reset': {
    thing: 'counters',
    reversal: resetReversal((target) => `What was counted for ${target} before the reset counts again.`),
  },
};
