import { and, eq, inArray } from 'drizzle-orm';
import { allowlist, apiKeys, grants, overrides, settings } from '@/drizzle/schema';
import { type AuditEntry, change } from '@/lib/admin/change';
import { DOCUMENTS } from '@/lib/admin/state/documents';
import { ALLOWLIST_SECTION, OVERRIDES_SECTION } from '@/lib/admin/state/entries';
import { readSnapshot, type Snapshot } from '@/lib/admin/state/snapshot';
import { releaseFromState as contract, type StateKind } from '@/lib/contract/state-release';
import type { Database, Statement } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Removes the mark of an entry that a state document manages. The entry itself stays unchanged. */
export const releaseFromState = implement(contract, (context, { body: { kind, id = '' } }) => {
  const { services, now } = context;
  return change(context, async () => {
    const found = await findRowsToRelease(services.database, await readSnapshot(services, now), kind, id);
    if (found === null) throw new ApiError('not_found', 'No state document has set anything of that kind and id.');
    const { target, targetType, statement } = found;
    return {
      audit: { action: 'state.release', targetType, target, before: { managed: true }, after: { managed: false } },
      statements: [statement],
    };
  });
});

const ROWS = {
  api_keys: { table: apiKeys, targetType: 'api_key' },
  grants: { table: grants, targetType: 'api_key' },
  allowlist: { table: allowlist, targetType: 'allowlist' },
  overrides: { table: overrides, targetType: 'override' },
} as const;

interface Released extends Required<Pick<AuditEntry, 'target' | 'targetType'>> {
  statement: Statement;
}

/** Finds the rows or the document to release, and the target of the audit record. Null if no match has a mark. */
async function findRowsToRelease(
  { drizzle }: Database,
  snapshot: Snapshot,
  kind: StateKind,
  id: string,
): Promise<Released | null> {
  if (kind in DOCUMENTS) {
    const target = DOCUMENTS[kind as keyof typeof DOCUMENTS].name;
    const marked = and(eq(settings.name, target), eq(settings.managed, true));
    if ((await drizzle.$count(settings, marked)) === 0) return null;
    const statement = drizzle.update(settings).set({ managed: false }).where(marked);
    return { targetType: kind, target, statement };
  }
  const { table, targetType } = ROWS[kind as keyof typeof ROWS];
  const marked = findRows(snapshot, kind as keyof typeof ROWS, id).filter(({ managed }) => managed);
  const [first] = marked;
  if (first === undefined) return null;
  const ids = marked.map((row) => row.id);
  const statement = drizzle.update(table).set({ managed: false }).where(inArray(table.id, ids));
  return { targetType, target: first.target, statement };
}

/** Finds rows by their id in a state document. Several grants can share one. */
function findRows(
  snapshot: Snapshot,
  kind: keyof typeof ROWS,
  id: string,
): { id: string; managed: boolean; target: string }[] {
  if (kind === 'api_keys')
    return snapshot.keys.filter(({ name }) => name === id).map((key) => ({ ...key, target: key.id }));
  if (kind === 'grants')
    return snapshot.grants.flatMap(({ name, grant }) => (name === id ? [{ ...grant, target: grant.apiKeyId }] : []));
  const entries =
    kind === 'allowlist'
      ? snapshot.allowlist.filter((row) => ALLOWLIST_SECTION.readId(row) === id)
      : snapshot.overrides.filter((row) => OVERRIDES_SECTION.readId(row) === id);
  return entries.map((row) => ({ ...row, target: row.identifier }));
}
