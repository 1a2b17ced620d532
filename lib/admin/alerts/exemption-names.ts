import { eq, inArray } from 'drizzle-orm';
import { allowlist, apiKeys, grants, overrides } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';

/** Reads for whom exemptions are, by their ids: the identifier, or the name of the key of a grant. */
export async function readExemptionNames({ drizzle }: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const readIdentifiers = (table: typeof allowlist | typeof overrides) =>
    drizzle.select({ id: table.id, name: table.identifier }).from(table).where(inArray(table.id, ids));
  const ofGrants = await drizzle
    .select({ id: grants.id, name: apiKeys.name })
    .from(grants)
    .innerJoin(apiKeys, eq(apiKeys.id, grants.apiKeyId))
    .where(inArray(grants.id, ids));
  const rows = [...(await readIdentifiers(allowlist)), ...(await readIdentifiers(overrides)), ...ofGrants];
  return new Map(rows.map(({ id, name }) => [id, name]));
}
