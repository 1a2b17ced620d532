import { setImmediate } from 'node:timers/promises';
import type { Database } from '@/lib/db/database';
import { computeMean, type EndingGrant, findExhaustion } from '@/lib/statistics/forecast';
import { countRequests } from '@/lib/statistics/key-days';
import { DAY, findStart } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** Whole days whose mean is the pace of a key. */
export const PACE_DAYS = 7;
/** Keys that one turn of the event loop looks at. */
const TURN = 10_000;

/** What the outlook of a key is computed from. */
interface Spending {
  id: string;
  remaining: number;
  limit: number;
  /** When its next month begins. */
  resetsAt: Millis;
  /** What of the limit ends by itself. */
  grants: readonly EndingGrant[];
}

/** How long the quota of a key lasts at the pace of the last days. */
export interface Outlook {
  /** When it runs out; null if not before it resets, and for one that is used up. */
  runsOutAt: Millis | null;
  /** Used up, or before it resets. */
  runsOut: boolean;
  /** Orders keys by who runs out first. Does not change while nothing is used, so that pages can be found by it. */
  rank: number;
}

/** Ranks keys that last: behind all that run out, whose rank is the time that is left, in milliseconds. */
const LASTS = 1e13;
const SHARES = 1e9;

/** The outlook of keys, in their order. */
export async function outlooks(database: Database, keys: readonly Spending[], now: Millis): Promise<Outlook[]> {
  const today = findStart(now, DAY);
  const ids = keys.filter(({ remaining }) => remaining > 0).map(({ id }) => id);
  const pace = await paceOf(database, ids, today);
  const fresh = ids.filter((id) => pace.get(id)?.wholeDays === 0);
  const first = await countRequests(database, fresh, today, today + DAY);
  const outlookOf = ({ id, remaining, limit, resetsAt, grants }: Spending): Outlook => {
    if (remaining <= 0) return { runsOutAt: null, runsOut: true, rank: 0 };
    const { createdAt, wholeDays, requests } = pace.get(id) ?? { createdAt: now, wholeDays: 0, requests: 0 };
    const present = { requests: first.get(id)?.requests ?? 0, since: Math.max(today, createdAt) };
    const perDay = computeMean({ count: wholeDays, requests }, present, now);
    const spentAt = (requests: number) => {
      const at = perDay > 0 ? now + Math.round((requests / perDay) * DAY) : Number.POSITIVE_INFINITY;
      return at < resetsAt ? at : null;
    };
    const runsOutAt =
      grants.length === 0 ? spentAt(remaining) : findExhaustion(remaining, grants, now, resetsAt, spentAt);
    if (runsOutAt !== null) return { runsOutAt, runsOut: true, rank: runsOutAt - now };
    return { runsOutAt: null, runsOut: false, rank: LASTS - Math.floor((1 - remaining / limit) * SHARES) };
  };
  const found: Outlook[] = [];
  for (let start = 0; start < keys.length; start += TURN) {
    if (start > 0) await setImmediate();
    for (const key of keys.slice(start, start + TURN)) found.push(outlookOf(key));
  }
  return found;
}

interface Pace {
  createdAt: Millis;
  /** Whole days since the key exists, at most `PACE_DAYS`, and its allowed requests on them. */
  wholeDays: number;
  requests: number;
}

/** What was read of whole days, which do not change until the next one. */
const paces = new WeakMap<Database, { today: Millis; byKey: Map<string, Pace> }>();

async function paceOf(database: Database, ids: readonly string[], today: Millis): Promise<ReadonlyMap<string, Pace>> {
  const cached = paces.get(database);
  const { byKey } = cached?.today === today ? cached : { byKey: new Map<string, Pace>() };
  paces.set(database, { today, byKey });
  const missing = ids.filter((id) => !byKey.has(id));
  const found = await countRequests(database, missing, today - PACE_DAYS * DAY, today);
  for (const [id, { createdAt, requests }] of found) {
    const age = Math.round((today - findStart(createdAt, DAY)) / DAY);
    byKey.set(id, { createdAt, wholeDays: Math.min(PACE_DAYS, Math.max(0, age)), requests });
  }
  return byKey;
}
