import { and, eq, inArray } from 'drizzle-orm';
import { allowlist, apiKeys, grants, overrides, settings } from '@/drizzle/schema';
import { type AuditEntry, change } from '@/lib/admin/change';
import { ALERTS_SETTING } from '@/lib/admin/setting';
import { ALLOWLIST_SECTION, OVERRIDES_SECTION } from '@/lib/admin/state/entries';
import { readSnapshot, type Snapshot } from '@/lib/admin/state/snapshot';
import { releaseFromState as contract, type StateKind } from '@/lib/contract/state-release';
import type { Database, Statement } from '@/lib/db/database';
import { POLICIES_SETTING, ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Takes away the mark of something that a state document has named. What it says is left as it is. */
export const releaseFromState = implement(contract, (context, { body: { kind, id = '' } }) => {
  const { services, now } = context;
  return change(context, async () => {
    const found = await released(services.database, await readSnapshot(services, now), kind, id);
    if (found === null) throw new ApiError('not_found', 'No state document has set anything of that kind and id.');
    const { target, targetType, statement } = found;
    return {
      audit: { action: 'state.release', targetType, target, before: { managed: true }, after: { managed: false } },
      statements: [statement],
      result: undefined,
    };
  });
});

const DOCUMENTS = { policies: POLICIES_SETTING, route_rules: ROUTE_RULES_SETTING, alerts: ALERTS_SETTING } as const;

interface Released extends Required<Pick<AuditEntry, 'target' | 'targetType'>> {
  statement: Statement;
}

/** What loses its mark, called as the changes of it are; null where nothing of that name has one. */
async function released(
  { drizzle }: Database,
  snapshot: Snapshot,
  kind: StateKind,
  id: string,
): Promise<Released | null> {
  if (kind === 'policies' || kind === 'route_rules' || kind === 'alerts') {
    const name = DOCUMENTS[kind];
    const marked = and(eq(settings.name, name), eq(settings.managed, true));
    if ((await drizzle.$count(settings, marked)) === 0) return null;
    return {
      targetType: kind,
      target: name,
      statement: drizzle.update(settings).set({ managed: false }).where(marked),
    };
  }
  const off = (table: typeof apiKeys | typeof grants | typeof allowlist | typeof overrides, ids: string[]) =>
    drizzle.update(table).set({ managed: false }).where(inArray(table.id, ids));
  if (kind === 'api_keys') {
    const key = snapshot.keys.find(({ name, managed }) => name === id && managed);
    return key === undefined ? null : { targetType: 'api_key', target: key.id, statement: off(apiKeys, [key.id]) };
  }
  if (kind === 'grants') {
    const marked = snapshot.grants.filter(({ name, grant }) => name === id && grant.managed).map(({ grant }) => grant);
    const [first] = marked;
    if (first === undefined) return null;
    const ids = marked.map((grant) => grant.id);
    return { targetType: 'api_key', target: first.apiKeyId, statement: off(grants, ids) };
  }
  if (kind === 'allowlist') {
    const row = snapshot.allowlist.find((entry) => ALLOWLIST_SECTION.idOf(entry) === id && entry.managed);
    return row === undefined ? null : { targetType: kind, target: row.identifier, statement: off(allowlist, [row.id]) };
  }
  const row = snapshot.overrides.find((override) => OVERRIDES_SECTION.idOf(override) === id && override.managed);
  return row === undefined
    ? null
    : { targetType: 'override', target: row.identifier, statement: off(overrides, [row.id]) };
}
