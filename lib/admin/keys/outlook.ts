import type { ApiKeyRow } from '@/lib/admin/keys/row';
import type { QuotaUsage } from '@/lib/contract/quota';
import type { Database } from '@/lib/db/database';
import { findQuotaCounter } from '@/lib/enforcement/quota-counter';
import { computeMonthEnd } from '@/lib/limiter/window';
import type { Services } from '@/lib/operation/services';
import { computeMean, findExhaustion } from '@/lib/statistics/forecast';
import { countRequests } from '@/lib/statistics/key-days';
import { findStart } from '@/lib/statistics/step';
import { takeTurn } from '@/lib/take-turn';
import { DAY, type Millis } from '@/lib/units';

/** Number of whole days whose mean is the pace of a key. */
export const PACE_DAYS = 7;
/** Keys processed in one turn of the event loop. */
const TURN = 10_000;

/** A key with the usage of its current month. */
interface UsedKey {
  key: Pick<ApiKeyRow, 'id' | 'monthStartsOn' | 'monthShift'>;
  usage: Pick<QuotaUsage, 'remaining' | 'limit'>;
}

/** Forecast for the quota of a key at its recent pace. */
export interface Outlook {
  /** Time of exhaustion. Null if the quota lasts until it resets, or is already exhausted. */
  runsOutAt: Millis | null;
  /** True if the quota is exhausted, or runs out before it resets. */
  runsOut: boolean;
  /** Orders keys by time of exhaustion. It is stable while nothing is used, so that pages can continue at it. */
  rank: number;
}

/** Base rank of keys whose quota lasts. It exceeds the other ranks, which are the remaining time in milliseconds. */
const LASTS = 1e13;
const SHARES = 1e9;

/** Computes the outlook of each key, in the order of the keys. */
export async function computeOutlooks(
  { database, rules: cache }: Pick<Services, 'database' | 'rules'>,
  keys: readonly UsedKey[],
  now: Millis,
): Promise<Outlook[]> {
  const rules = await cache.readFresh();
  const today = findStart(now, DAY);
  const ids = keys.filter(({ usage }) => usage.remaining > 0).map(({ key }) => key.id);
  const pace = await readPaces(database, ids, today);
  const fresh = ids.filter((id) => pace.get(id)?.wholeDays === 0);
  const first = await countRequests(database, fresh, today, today + DAY);
  const forecastKey = ({ key, usage: { remaining, limit } }: UsedKey): Outlook => {
    if (remaining <= 0) return { runsOutAt: null, runsOut: true, rank: 0 };
    const resetsAt = computeNextMonth(key, now);
    const grants = rules.listGrants(key.id, now);
    const { createdAt, wholeDays, requests } = pace.get(key.id) ?? { createdAt: now, wholeDays: 0, requests: 0 };
    const present = { requests: first.get(key.id)?.requests ?? 0, since: Math.max(today, createdAt) };
    const perDay = computeMean({ count: wholeDays, requests }, present, now);
    const computeExhaustion = (requests: number) => {
      const at = perDay > 0 ? now + Math.round((requests / perDay) * DAY) : Number.POSITIVE_INFINITY;
      return at < resetsAt ? at : null;
    };
    const runsOutAt =
      grants.length === 0
        ? computeExhaustion(remaining)
        : findExhaustion(remaining, grants, now, resetsAt, computeExhaustion);
    if (runsOutAt !== null) return { runsOutAt, runsOut: true, rank: runsOutAt - now };
    return { runsOutAt: null, runsOut: false, rank: LASTS - Math.floor((1 - remaining / limit) * SHARES) };
  };
  const found: Outlook[] = [];
  for (let start = 0; start < keys.length; start += TURN) {
    if (start > 0) await takeTurn();
    for (const key of keys.slice(start, start + TURN)) found.push(forecastKey(key));
  }
  return found;
}

interface Pace {
  createdAt: Millis;
  /** Whole days since the creation of the key, at most `PACE_DAYS`, and its allowed requests on them. */
  wholeDays: number;
  requests: number;
}

/** Counts of whole days, cached because they do not change until the next day. */
const paces = new WeakMap<Database, { today: Millis; byKey: Map<string, Pace> }>();

async function readPaces(
  database: Database,
  ids: readonly string[],
  today: Millis,
): Promise<ReadonlyMap<string, Pace>> {
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

/** Computes the start of a key's next month. */
export function computeNextMonth(key: UsedKey['key'], now: Millis): Millis {
  return computeMonthEnd(now, findQuotaCounter(key).window.anchor);
}
