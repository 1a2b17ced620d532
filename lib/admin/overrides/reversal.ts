import { z } from 'zod';
import { overrides } from '@/drizzle/schema';
import { timeIn } from '@/lib/admin/change-kind/record';
import { exceptionReversal } from '@/lib/admin/exception-kind/reversal';
import { OVERRIDES } from '@/lib/admin/overrides/row';

const Edited = z.object({
  reason: z.string(),
  expires_at: z.string().nullable(),
  limit: z.number(),
  window_seconds: z.number(),
});

export const OVERRIDE_REVERSAL = exceptionReversal({
  kind: OVERRIDES,
  table: overrides,
  members: ['reason', 'expires_at', 'limit', 'window_seconds'],
  columns: (before) => {
    const { reason, expires_at, limit, window_seconds: windowSeconds } = Edited.parse(before);
    return { reason, expiresAt: timeIn(expires_at), limit, windowSeconds };
  },
  words: {
    gone: 'has the limit of the policies again',
    back: 'has its own limit again',
    edited: 'The override of',
  },
});
