import { and, asc, eq, gte, inArray, sum } from 'drizzle-orm';
import { keyDays } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import type { ApiKeyId } from '@/lib/ids';
import type { Millis } from '@/lib/units';

/** Requests of one key on one day, by cost. */
export interface KeyDay {
  apiKeyId: ApiKeyId;
  /** Start of the day, UTC. */
  day: Millis;
  allowed: number;
  refused: number;
}

/** The days of one key since a day, oldest first, without days that have no request. */
export function daysOfKey(database: Database, apiKeyId: ApiKeyId, since: Millis): Promise<KeyDay[]> {
  return database.drizzle
    .select()
    .from(keyDays)
    .where(and(eq(keyDays.apiKeyId, apiKeyId), gte(keyDays.day, since)))
    .orderBy(asc(keyDays.day));
}

/** As `daysOfKey`, for several keys. */
export async function daysOfKeys(
  database: Database,
  apiKeyIds: readonly string[],
  since: Millis,
): Promise<Map<string, KeyDay[]>> {
  const byKey = new Map<string, KeyDay[]>(apiKeyIds.map((id) => [id, []]));
  const CHUNK = 500;
  for (let start = 0; start < apiKeyIds.length; start += CHUNK) {
    const ids = apiKeyIds.slice(start, start + CHUNK);
    const rows = await database.drizzle
      .select()
      .from(keyDays)
      .where(and(inArray(keyDays.apiKeyId, ids), gte(keyDays.day, since)))
      .orderBy(asc(keyDays.day));
    for (const row of rows) byKey.get(row.apiKeyId)?.push(row);
  }
  return byKey;
}

/** Allowed requests since a day, by key. */
export async function allowedByKey(database: Database, since: Millis): Promise<Map<string, number>> {
  const rows = await database.drizzle
    .select({ id: keyDays.apiKeyId, allowed: sum(keyDays.allowed) })
    .from(keyDays)
    .where(gte(keyDays.day, since))
    .groupBy(keyDays.apiKeyId);
  return new Map(rows.map(({ id, allowed }) => [id, Number(allowed ?? 0)]));
}
