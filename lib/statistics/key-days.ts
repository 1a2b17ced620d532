import { and, asc, gte, inArray, sql, sum } from 'drizzle-orm';
import { apiKeys, keyDays } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { isReadable } from '@/lib/db/readable-rows';
import type { ApiKeyId } from '@/lib/ids';
import { splitInSteps } from '@/lib/split-in-steps';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { takeTurn } from '@/lib/take-turn';
import { DAY, type Millis } from '@/lib/units';

/** Requests of one key on one day, by cost. */
export interface KeyDay {
  apiKeyId: ApiKeyId;
  /** Start of the day, in UTC. */
  day: Millis;
  allowed: number;
  refused: number;
}

const CHUNK = 500;

/** Reads the days of keys since a day, by key, oldest first. Days without requests are left out. */
export async function readKeyDays(
  database: Database,
  apiKeyIds: readonly string[],
  since: Millis,
): Promise<Map<string, KeyDay[]>> {
  const byKey = new Map<string, KeyDay[]>(apiKeyIds.map((id) => [id, []]));
  for (const ids of splitInSteps(apiKeyIds, CHUNK)) {
    const condition = and(inArray(keyDays.apiKeyId, ids), gte(keyDays.day, since));
    const rows = await database.drizzle.select().from(keyDays).where(condition).orderBy(asc(keyDays.day));
    for (const row of rows) byKey.get(row.apiKeyId)?.push(row);
  }
  return byKey;
}

/** Reads when keys were created, and their allowed requests from one day to before another. */
export async function countRequests({ drizzle }: Database, ids: readonly string[], since: Millis, until: Millis) {
  const { apiKeyId, day, allowed } = keyDays;
  const found = new Map<string, { createdAt: Millis; requests: number }>();
  for (let start = 0; start < ids.length; start += CHUNK) {
    if (start > 0) await takeTurn();
    const rows = await drizzle.all<{ id: string; createdAt: Millis; requests: number }>(sql`
      select ids.value as id, ${apiKeys.createdAt} as createdAt,
        (select coalesce(sum(${allowed}), 0) from ${keyDays}
         where ${apiKeyId} = ids.value and ${day} >= ${since} and ${day} < ${until} and ${isReadable(allowed)}) as requests
      from json_each(${JSON.stringify(ids.slice(start, start + CHUNK))}) as ids
      join ${apiKeys} on ${apiKeys.id} = ids.value and ${isReadable(apiKeys.createdAt)}`);
    for (const { id, createdAt, requests } of rows) found.set(id, { createdAt, requests });
  }
  return found;
}

/** Adds up the allowed requests since a day, by key. */
export async function sumAllowedByKey(database: Database, since: Millis): Promise<Map<string, number>> {
  const { apiKeyId: id, allowed, day } = keyDays;
  const sums = database.drizzle.select({ id, allowed: sum(allowed) }).from(keyDays);
  const rows = await sums.where(and(gte(day, since), isReadable(id, allowed))).groupBy(id);
  return new Map(rows.map((row) => [row.id, Number(row.allowed ?? 0)]));
}

/** Most keys and subjects that wait while the database is down. More are dropped. */
const MOST_WAITING = 100_000;

/** Subject whose last use is recorded when any client except the console requests a decision. */
export const DECISION_API = 'decision_api';

/** Requests of each API key by day, and last uses of credentials and overrides, until they are written. */
export class KeyUsage {
  readonly #days = new Map<string, KeyDay>();
  readonly #lastUses = new Map<string, number>();
  readonly #written = new Set<string>();

  add(event: DecisionEvent, apiKeyId: string): void {
    const day = event.at - (event.at % DAY);
    let entry = this.#days.get(apiKeyId);
    if (entry !== undefined && entry.day !== day) {
      // The previous day is not written yet, so its entry moves to another map key.
      this.#days.set(`${apiKeyId}|${entry.day}`, entry);
      entry = undefined;
    }
    if (entry === undefined) {
      if (this.#days.size >= MOST_WAITING) return;
      entry = { apiKeyId, day, allowed: 0, refused: 0 };
      this.#days.set(apiKeyId, entry);
    }
    if (event.outcome === 'refused') entry.refused += event.cost;
    else entry.allowed += event.cost;
    this.use(`api_key:${apiKeyId}`, event.at);
  }

  /** @param subject `DECISION_API`, `api_key:<id>`, `override:<id>`, `allowlist:<id>`, `token:<id>` or `member:<id>` */
  use(subject: string, at: number): void {
    if (this.#lastUses.size < MOST_WAITING || this.#lastUses.has(subject)) this.#lastUses.set(subject, at);
  }

  /** Removes and returns the oldest rows for `key_days`. */
  takeDays(most: number): [apiKeyId: string, day: number, allowed: number, refused: number][] {
    const taken = takeFirst(this.#days, most).map(([, entry]) => entry);
    this.keepKeys(taken.map(({ apiKeyId }) => apiKeyId));
    return taken.map(({ apiKeyId, day, allowed, refused }) => [apiKeyId, day, allowed, refused]);
  }

  /** Removes and returns keys that `takeDays` has returned. */
  takeKeys(most: number): string[] {
    const keys = [...this.#written].slice(0, most);
    for (const key of keys) this.#written.delete(key);
    return keys;
  }

  /** Adds keys to the next result of `takeKeys`. */
  keepKeys(apiKeyIds: readonly string[]): void {
    for (const id of apiKeyIds) if (this.#written.size < MOST_WAITING) this.#written.add(id);
  }

  /** Removes and returns the oldest rows for `last_uses`. */
  takeLastUses(most: number): [subject: string, at: number][] {
    return takeFirst(this.#lastUses, most);
  }
}

/** Removes and returns the oldest entries of a map. */
function takeFirst<T>(map: Map<string, T>, most: number): [string, T][] {
  const taken: [string, T][] = [];
  for (const entry of map) {
    if (taken.length >= most) break;
    taken.push(entry);
    map.delete(entry[0]);
  }
  return taken;
}
