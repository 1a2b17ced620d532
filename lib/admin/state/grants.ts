import { buildGrant, buildGrantRecord } from '@/lib/admin/grants/row';
import { requireAllowedLife } from '@/lib/admin/policies/longest-life';
import { requireAllowedEnd } from '@/lib/admin/state/once-each';
import type { Snapshot } from '@/lib/admin/state/snapshot';
import type { StatePlan } from '@/lib/admin/state/state-plan';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { GrantState, RulesState } from '@/lib/contract/state';
import { createInvalidField } from '@/lib/http/input';
import type { ApiKeyId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';

type Present = Snapshot['grants'][number];

/** Converts a grant to its form in documents. */
export function buildGrantState({ name, grant }: Present): RulesState['grants'][number] {
  const { requests, until, reason } = grant;
  return { api_key: name, requests, until: formatTimestamp(until), reason };
}

/** Identifies a grant of a document by its key and its reason. */
const identifyGrant = (key: string, reason: string) => JSON.stringify([key, reason]);

/** Stored grants by key and reason. Each can be taken once. */
class Unclaimed {
  readonly #byThing = new Map<string, Present[]>();

  constructor(rows: readonly Present[]) {
    for (const row of rows) {
      const thing = identifyGrant(row.name, row.grant.reason);
      this.#byThing.set(thing, [...(this.#byThing.get(thing) ?? []), row]);
    }
  }

  /** Takes the first grant that fits. */
  take({ api_key: key, reason }: GrantState, fits: (row: Present) => boolean = () => true): Present | undefined {
    const rows = this.#byThing.get(identifyGrant(key, reason)) ?? [];
    const index = rows.findIndex(fits);
    return index < 0 ? undefined : rows.splice(index, 1)[0];
  }

  /** Takes all grants of the same key and reason. */
  takeAll({ api_key: key, reason }: GrantState): Present[] {
    return (this.#byThing.get(identifyGrant(key, reason)) ?? []).splice(0);
  }

  listRemaining(): Present[] {
    return [...this.#byThing.values()].flat();
  }
}

/**
 * Plans the changes of grants. No operation edits a grant, so a change removes it and adds it again.
 * A key may have several grants with one reason; equal ones stay. An ended grant in the document is not added. It
 * removes all remaining grants of its key and reason, so that applying the document again changes nothing.
 * @param keys ids of all keys after the change, by name
 * @throws ApiError invalid_request
 */
export function planGrants(
  context: Context,
  plan: StatePlan,
  keys: ReadonlyMap<string, ApiKeyId>,
  {
    wanted,
    rows,
    prune,
    longest,
  }: { wanted: readonly GrantState[]; rows: readonly Present[]; prune: boolean; longest: number | null },
): void {
  const unclaimed = new Unclaimed(rows);
  const others = wanted.flatMap((grant, index) => {
    requireAllowedEnd(`grants.${index}.until`, grant.until, context.now);
    const isSameGrant = (row: Present) => row.grant.requests === grant.requests && row.grant.until === grant.until;
    const equal = unclaimed.take(grant, isSameGrant);
    if (equal !== undefined) plan.name('grants', equal.grant);
    return equal === undefined ? [{ grant, index }] : [];
  });
  for (const { grant, index } of others) {
    if (grant.until <= context.now) {
      for (const before of unclaimed.takeAll(grant)) remove(context, plan, before);
      continue;
    }
    const before = unclaimed.take(grant);
    if (before !== undefined) remove(context, plan, before);
    requireAllowedLife(longest, grant.until, context.now, `grants.${index}.until`);
    const key = keys.get(grant.api_key);
    if (key === undefined) throw createInvalidField(`grants.${index}.api_key`, 'must name an API key that there is');
    add(context, plan, key, grant);
  }
  if (prune) for (const row of unclaimed.listRemaining()) remove(context, plan, row);
}

function add(context: Context, plan: StatePlan, apiKeyId: ApiKeyId, grant: GrantState): void {
  const { api_key: name, ...fields } = grant;
  const row = buildGrant(context, plan.next, { ...fields, apiKeyId, managed: true });
  plan.put('grants', row);
  plan.records.push(buildGrantRecord('add', row, context.reason ?? grant.reason));
  const after = buildGrantState({ name, grant: row });
  plan.changes.push({ action: 'create', kind: 'grants', id: name, before: null, after });
}

function remove({ now }: Context, plan: StatePlan, { name, grant }: Present): void {
  plan.put('grants', { ...grant, removedAt: now, revision: plan.next });
  plan.records.push(buildGrantRecord('remove', grant));
  const before = buildGrantState({ name, grant });
  plan.changes.push({ action: 'delete', kind: 'grants', id: name, before, after: null });
}
