import { z } from 'zod';
import { allowlist } from '@/drizzle/schema';
import { ALLOWLIST_ENTRIES } from '@/lib/admin/allowlist/row';
import { timeIn } from '@/lib/admin/change-kind/record';
import { exceptionReversal } from '@/lib/admin/exception-kind/reversal';

const Edited = z.object({ reason: z.string(), expires_at: z.string().nullable() });

export const ALLOWLIST_REVERSAL = exceptionReversal({
  kind: ALLOWLIST_ENTRIES,
  table: allowlist,
  members: ['reason', 'expires_at'],
  columns: (before) => {
    const { reason, expires_at } = Edited.parse(before);
    return { reason, expiresAt: timeIn(expires_at) };
  },
  words: {
    gone: 'is no longer on the allowlist',
    back: 'is back on the allowlist',
    edited: 'The allowlist entry of',
  },
});
