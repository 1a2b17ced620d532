import { eq, inArray } from 'drizzle-orm';
import { allowlist, apiKeys, grants, overrides } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';

/** Reads the callers of exemptions, by exemption id: the identifier, or the name of a grant's key. */
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
