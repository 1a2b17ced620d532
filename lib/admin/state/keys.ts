import { buildKey, buildKeyRecord, moveMonths, readKeyLimits, writeKeyLimits } from '@/lib/admin/keys/row';
import { requireAllowedEnd, requireOnceEach } from '@/lib/admin/state/once-each';
import type { Snapshot } from '@/lib/admin/state/snapshot';
import { ENTRIES_A_TURN, type StatePlan } from '@/lib/admin/state/state-plan';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { ApiKeyState, RulesState } from '@/lib/contract/state';
import { createInvalidField } from '@/lib/http/input';
import type { ApiKeyId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';
import { takeTurn } from '@/lib/take-turn';

type Row = Snapshot['keys'][number];
type Columns = Pick<
  Row,
  'name' | 'tier' | 'clientType' | 'userId' | 'overageAllowed' | 'monthStartsOn' | 'limits' | 'expiresAt'
>;

/** Converts a key to its form in documents. */
export function buildKeyState(row: Columns): RulesState['api_keys'][number] {
  const { name, tier, clientType, userId, overageAllowed, monthStartsOn, expiresAt } = row;
  const client = { client_type: clientType, user_id: userId, overage_allowed: overageAllowed };
  const limits = row.limits === null ? {} : { limits: readKeyLimits(row) };
  return {
    name,
    tier,
    ...client,
    month_starts_on: monthStartsOn,
    ...limits,
    expires_at: formatTimestampOrNull(expiresAt),
  };
}

function buildKeyColumns(key: ApiKeyState): Columns {
  const { name, tier, client_type: clientType, user_id: userId, overage_allowed: overageAllowed } = key;
  const { month_starts_on: monthStartsOn, expires_at: expiresAt = null } = key;
  const limits = writeKeyLimits(key.limits);
  return { name, tier, clientType, userId, overageAllowed, monthStartsOn, limits, expiresAt };
}

/**
 * Plans the changes of keys, which documents identify by name.
 * @param limits names of all named limits after the change
 * @returns the ids of all keys after the change, by name
 * @throws ApiError invalid_request
 */
export async function planKeys(
  context: Context,
  plan: StatePlan,
  {
    wanted,
    rows,
    prune,
    limits,
  }: { wanted: readonly ApiKeyState[]; rows: readonly Row[]; prune: boolean; limits: ReadonlySet<string> },
): Promise<Map<string, ApiKeyId>> {
  for (const [index, { limits: own }] of wanted.entries()) {
    const unknown = Object.keys(own).find((name) => !limits.has(name));
    if (unknown !== undefined) throw createInvalidField(`api_keys.${index}.limits.${unknown}`, 'must name a limit');
  }
  const keys = wanted.map(buildKeyColumns);
  requireOnceEach(
    'api_keys',
    keys.map(({ name }) => name),
  );
  const present = new Map(rows.map((row) => [row.name, row]));
  const ids = new Map(rows.map(({ name, id }) => [name, id]));
  for (const [index, key] of keys.entries()) {
    if (index % ENTRIES_A_TURN === ENTRIES_A_TURN - 1) await takeTurn();
    if (key.overageAllowed && key.tier === 'free')
      throw createInvalidField(`api_keys.${index}.overage_allowed`, 'needs the tier starter or above');
    requireAllowedEnd(`api_keys.${index}.expires_at`, key.expiresAt, context.now);
    const row = present.get(key.name);
    if (row !== undefined) edit(context, plan, row, key);
    // A key that has already expired is not created.
    else if (key.expiresAt === null || key.expiresAt > context.now) ids.set(key.name, create(context, plan, key));
  }
  if (!prune) return ids;
  const named = new Set(keys.map(({ name }) => name));
  for (const row of rows) {
    if (named.has(row.name)) continue;
    revoke(context, plan, row);
    ids.delete(row.name);
  }
  return ids;
}

function create(context: Context, plan: StatePlan, key: Columns): ApiKeyId {
  const { row, secret, audit } = buildKey(context, plan.next, { ...key, monthShift: 0, managed: true });
  plan.put('apiKeys', row);
  plan.records.push(audit);
  plan.changes.push({ action: 'create', kind: 'api_keys', id: key.name, before: null, after: buildKeyState(key) });
  plan.secrets.push({ id: row.id, name: key.name, secret });
  return row.id;
}

/** Edits a key like the single operations: first the tier, which ends overage if it has none, then the rest. */
function edit({ now }: Context, plan: StatePlan, row: Row, key: Columns): void {
  const before = buildKeyState(row);
  const after = buildKeyState(key);
  if (JSON.stringify(before) === JSON.stringify(after)) {
    plan.name('apiKeys', row);
    return;
  }
  let edited = row;
  if (key.tier !== row.tier) {
    const overageAllowed = row.overageAllowed && key.tier !== 'free';
    edited = { ...row, tier: key.tier, overageAllowed, revision: plan.next };
    plan.records.push(buildKeyRecord('quota.tier', row, edited));
  }
  if (JSON.stringify(buildKeyState(edited)) !== JSON.stringify(after)) {
    const months = moveMonths(row, key.monthStartsOn, now);
    const settled = { ...edited, ...key, ...months, revision: plan.next };
    plan.records.push(buildKeyRecord('api_key.update', edited, settled));
    edited = settled;
  }
  plan.put('apiKeys', { ...edited, managed: true });
  plan.changes.push({ action: 'update', kind: 'api_keys', id: key.name, before, after });
}

function revoke({ now }: Context, plan: StatePlan, row: Row): void {
  const revoked = { ...row, revokedAt: now, revision: plan.next };
  plan.put('apiKeys', revoked);
  plan.records.push(buildKeyRecord('api_key.revoke', row, revoked));
  plan.changes.push({ action: 'delete', kind: 'api_keys', id: row.name, before: buildKeyState(row), after: null });
}
