import type { InStatement, InValue, ResultSet } from '@libsql/client';
import { desc, inArray, isNull, sql } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { adminTokens, members, settings } from '@/drizzle/schema';
import { FINGERPRINT_SETTING } from '@/lib/auth/secret-fingerprint';
import { MOST_CACHED, TOKEN_COLUMNS, type TokenRow } from '@/lib/auth/token-reader';
import { ACTIVE_STORE_SETTING, type ActiveStore, parseActiveStore } from '@/lib/counters/active-store';
import { INSTALLATION_SETTING } from '@/lib/counters/installation';
import type { Database } from '@/lib/db/database';
import { APPLIED_MIGRATIONS, type AppliedMigration } from '@/lib/db/migrate';
import { runWithTimeout } from '@/lib/db/run-with-timeout';
import { listRuleStatements } from '@/lib/enforcement/rules-cache';
import type { Millis } from '@/lib/units';

/** Time after which a start reads from a replica. It is shorter than that of `reachServer`. */
const PRIMARY_TIMEOUT: Millis = 2_000;

/** Values that a start reads before the rules. */
export interface StartState {
  migrations: readonly AppliedMigration[];
  /** Fingerprint of the `AUTH_SECRET` in use. Null before the first start. */
  fingerprint: string | null;
  /** Id of the database. Undefined if it has none yet. */
  installation: string | undefined;
  /** Null if none is recorded. */
  activeStore: ActiveStore | null;
  hasMembers: boolean;
  webhooks: readonly (typeof webhooks.$inferSelect)[];
  /** Values that the first decision needs, if the database is a server. */
  first?: FirstRead;
}

/** Rules and tokens as of one point in time. */
interface FirstRead {
  /** Results of `listRuleStatements`. */
  rules: readonly ResultSet[];
  /** Tokens that were not revoked, last changed first. */
  tokens: readonly TokenRow[];
  /** True if the primary of the server answered. A replica may lag behind. */
  isFromPrimary: boolean;
}

/**
 * Reads all of it in one round trip, because a function starts often, and its first request waits. From a server it also
 * reads the rules and the tokens.
 * @param isPrimary whether a server must answer from its primary, because the rules are compared with a Redis
 * @throws Error of the driver, also if the database has no schema yet
 */
export async function readStartState(database: Database, isPrimary = false): Promise<StartState> {
  const { drizzle, kind } = database;
  const names = [FINGERPRINT_SETTING, INSTALLATION_SETTING, ACTIVE_STORE_SETTING];
  const isServer = kind === 'remote';
  const queries = {
    stored: drizzle
      .select({ name: settings.name, value: settings.value })
      .from(settings)
      .where(inArray(settings.name, names))
      .prepare(),
    owners: drizzle.select({ one: sql<number>`1` }).from(members).limit(1).prepare(),
    receivers: drizzle.select().from(webhooks).where(isNull(webhooks.removedAt)).orderBy(webhooks.name).prepare(),
  };
  const tokenQuery = drizzle
    .select(TOKEN_COLUMNS)
    .from(adminTokens)
    .where(isNull(adminTokens.revokedAt))
    .orderBy(desc(adminTokens.revision))
    .limit(MOST_CACHED)
    .prepare();
  const [applied, stored, owners, receivers, tokens, ...rules] = await database.client.batch(
    [
      APPLIED_MIGRATIONS,
      ...Object.values(queries).map(convertQuery),
      ...(isServer ? [convertQuery(tokenQuery), ...listRuleStatements(database)] : []),
    ],
    isPrimary ? 'write' : 'read',
  );
  const found = readRows(queries.stored, stored);
  const findValue = (name: string) => found.find((setting) => setting.name === name)?.value;
  const fingerprint = findValue(FINGERPRINT_SETTING);
  const installation = findValue(INSTALLATION_SETTING);
  const activeStore = findValue(ACTIVE_STORE_SETTING);
  return {
    migrations: (applied?.rows ?? []) as unknown as readonly AppliedMigration[],
    fingerprint: fingerprint === undefined ? null : String(JSON.parse(fingerprint)),
    installation: installation === undefined ? undefined : String(JSON.parse(installation)),
    activeStore: activeStore === undefined ? null : parseActiveStore(JSON.parse(activeStore)),
    hasMembers: readRows(queries.owners, owners).length > 0,
    webhooks: readRows(queries.receivers, receivers),
    ...(isServer ? { first: { rules, tokens: readRows(tokenQuery, tokens), isFromPrimary: isPrimary } } : {}),
  };
}

/**
 * Reads from the primary if `isPrimary`. A primary that is down or refuses writes does not prevent the start if a
 * replica answers. @returns null if the server answers that it has not all of the tables and columns
 */
export async function findStartState(database: Database, isPrimary: boolean): Promise<StartState | null> {
  try {
    const state = readStartState(database, isPrimary);
    return await (isPrimary ? runWithTimeout(state, PRIMARY_TIMEOUT, () => new Error('no answer in time')) : state);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if ([error, cause].some((fault) => fault instanceof Error && /no such (table|column)/.test(fault.message)))
      return null;
    if (isPrimary) return findStartState(database, false);
    throw error;
  }
}

interface Query<T> {
  getQuery(): { sql: string; params: unknown[] };
  mapResult(result: unknown, isFromBatch?: boolean): unknown;
  all(): Promise<T>;
}

function convertQuery(query: Omit<Query<unknown>, 'all'>): InStatement {
  const { sql, params } = query.getQuery();
  return { sql, args: params as InValue[] };
}

/** Maps a result of a batch, as Drizzle's own batch does. */
function readRows<T>(query: Query<T>, result: ResultSet | undefined): T {
  return query.mapResult(result, true) as T;
}
