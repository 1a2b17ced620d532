import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { IDENTIFIER_ORDER } from '@/drizzle/identifier-order';
import { allowlist, apiKeys, grants, lastUses, overrides } from '@/drizzle/schema';
import type { Exception } from '@/lib/contract/exceptions';
import type { Database } from '@/lib/db/database';
import { isReadable, readUpTo } from '@/lib/db/readable-rows';
import type { EndpointClass } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** Matches rows that can be read. Decisions leave out the others, and report them. */
const hasReadableColumns = (table: SQLiteTable) => isReadable(...Object.values(getTableColumns(table)));

/** Selects each kind of exemption as rows of one shape. */
const KINDS: readonly SQL[] = [
  sql`select 'allowlist' as kind, id, type, identifier, null as key_name, null as class, null as limit_name,
      null as numbers, null as max_hits, null as window_seconds, null as requests, reason, expires_at as ends_at,
      created_at, created_by, managed, ${sql.raw(IDENTIFIER_ORDER)} as natural_order
    from allowlist where removed_at is null and ${hasReadableColumns(allowlist)}`,
  sql`select 'override' as kind, id, type, identifier, null as key_name, nullif(class, '') as class,
      nullif(limit_name, '') as limit_name, numbers, "limit" as max_hits, window_seconds, null as requests, reason,
      expires_at as ends_at, created_at, created_by, managed, ${sql.raw(IDENTIFIER_ORDER)} as natural_order
    from overrides where removed_at is null and ${hasReadableColumns(overrides)}`,
  sql`select 'grant' as kind, grants.id as id, 'api_key' as type, grants.api_key_id as identifier,
      api_keys.name as key_name, null as class, null as limit_name, null as numbers, null as max_hits,
      null as window_seconds, grants.requests as requests, grants.reason as reason, grants.until as ends_at,
      grants.created_at as created_at, grants.created_by as created_by, grants.managed as managed,
      (select ${sql.raw(IDENTIFIER_ORDER)} from (select 'api_key' as type, api_keys.name as identifier)) as natural_order
    from grants join api_keys on api_keys.id = grants.api_key_id
    where grants.removed_at is null and api_keys.revoked_at is null and ${hasReadableColumns(grants)}
      and ${isReadable(apiKeys.name)}`,
];

/** Selects when an exemption was last used, ms, or null. */
export const LAST_USED = sql<Millis | null>`(select ${lastUses.at} from ${lastUses}
  where ${lastUses.subject} = kind || ':' || id and ${isReadable(lastUses.at)})`;

/**
 * Selects the first rows of an order from all kinds. Each kind is filtered, ordered and cut by itself, because SQLite
 * would build the whole union otherwise.
 */
function selectFirst(where: SQL | undefined, orderBy: readonly SQL[], limit: number): SQL {
  const selectFirstOfKind = (kind: SQL) =>
    sql`select * from (select * from (${kind}) where ${where ?? sql`true`} order by ${sql.join([...orderBy], sql`, `)} limit ${limit})`;
  return sql`(${sql.join(KINDS.map(selectFirstOfKind), sql` union all `)}) as exception`;
}

const column = <T>(name: string) => sql<T>`${sql.raw(name)}`;
const COLUMNS = {
  kind: column<Exception['kind']>('kind'),
  id: column<string>('id'),
  type: column<Exception['type']>('type'),
  identifier: column<string>('identifier'),
  keyName: column<string | null>('key_name'),
  class: column<EndpointClass | null>('class'),
  limitName: column<string | null>('limit_name'),
  /** JSON: windows and places of a named limit. Rows whose numbers cannot be read are left out. */
  numbers: sql<string | null>`numbers`.mapWith(overrides.numbers),
  limit: column<number | null>('max_hits'),
  windowSeconds: column<number | null>('window_seconds'),
  requests: column<number | null>('requests'),
  reason: column<string>('reason'),
  endsAt: column<Millis | null>('ends_at'),
  createdAt: column<Millis>('created_at'),
  createdBy: column<string>('created_by'),
  managed: column<number>('managed'),
  lastUsedAt: LAST_USED,
};

/** Reads the first exemptions of an order, of every kind, that were not removed. */
export function readExceptions({ drizzle }: Database, where: SQL | undefined, orderBy: readonly SQL[], limit: number) {
  return readUpTo(limit, (most) =>
    drizzle
      .select(COLUMNS)
      .from(selectFirst(where, orderBy, most))
      .orderBy(...orderBy)
      .limit(most),
  );
}

/** An exemption as stored. */
export type ExceptionRow = Awaited<ReturnType<typeof readExceptions>>[number];

/** Counts the exemptions of every kind that were not removed. */
export async function countExceptions({ drizzle }: Database, where: SQL | undefined): Promise<number> {
  const counts = KINDS.map((kind) => sql`(select count(*) from (${kind}) where ${where ?? sql`true`})`);
  const [row] = await drizzle.select({ total: sql<number>`${sql.join(counts, sql` + `)}` }).from(sql`(select 1)`);
  return row?.total ?? 0;
}
