import { inArray, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { apiKeys } from '@/drizzle/schema';
import { matchText } from '@/lib/admin/stored-list';
import type { Database } from '@/lib/db/database';
import type { ApiKeyId } from '@/lib/ids';

/** Reads the names of keys by id, including revoked keys. */
export async function readKeyNames(
  { drizzle }: Database,
  ids: readonly (ApiKeyId | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)].flatMap((id) => id ?? []);
  if (wanted.length === 0) return new Map();
  const columns = { id: apiKeys.id, name: apiKeys.name };
  const rows = await drizzle.select(columns).from(apiKeys).where(inArray(apiKeys.id, wanted));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Matches ids of keys whose name contains a text. */
export function matchKeyName(id: AnySQLiteColumn, text: string) {
  return sql`${id} in (select ${apiKeys.id} from ${apiKeys} where ${matchText(text, apiKeys.name)})`;
}
