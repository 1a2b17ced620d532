import {
  listKeyLimits,
  listNamedLimit,
  listOverrideLimits,
  listPolicyLimits,
  type MetLimit,
} from '@/lib/admin/effect/met-limits';
import { describeUnpayableCosts } from '@/lib/admin/effect/unpayable-costs';
import { findIfActive } from '@/lib/admin/expiry';
import { readKeyLimits } from '@/lib/admin/keys/row';
import { listLimitsWithoutOverride } from '@/lib/admin/overrides/limits-without-override';
import { OVERRIDES_SECTION } from '@/lib/admin/state/entries';
import { buildKeyState } from '@/lib/admin/state/keys';
import type { Snapshot } from '@/lib/admin/state/snapshot';
import type { NewNamedLimit } from '@/lib/contract/named-limits';
import type { Policies } from '@/lib/contract/policies';
import type { RulesState, StateChange } from '@/lib/contract/state';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

type KeyState = RulesState['api_keys'][number];
type OverrideState = RulesState['overrides'][number];
type GrantState = RulesState['grants'][number];

/**
 * Finds the warnings of changes whose limits would never admit a cost, after all changes of the document.
 * @param policies after the change
 */
export async function findCostWarnings(
  { services, now }: Context,
  snapshot: Snapshot,
  policies: Policies,
  changes: readonly StateChange[],
): Promise<Map<StateChange, string>> {
  const current = await services.rules.readFresh();
  const factor = current.findIncident(now)?.factor;
  const planned = changes.find(({ kind }) => kind === 'route_rules')?.after;
  const rules = planned === undefined ? current.routeRules : compileRouteRules(planned).rules;
  const warnings = new Map<StateChange, string>();
  if (rules.length === 0) return warnings;

  const limits = collectLimits(snapshot, changes);
  const keys = new KeysAfter(snapshot, changes);
  const own = listUnchangedLimits(snapshot, changes, now).filter(({ name }) => name === undefined || limits.has(name));
  const listLimits = (change: StateChange): MetLimit[] => {
    const { kind, id, before, after } = change;
    if (kind === 'policies') return listPolicyLimits(policies);
    if (kind === 'route_rules')
      return [...listPolicyLimits(policies), ...[...limits.values()].flatMap(listNamedLimit), ...own];
    if (kind === 'grants') return after === null ? listLimitsOfKey(id) : [];
    if (kind === 'allowlist') return after === null ? listPolicyLimits(policies) : [];
    if (kind === 'overrides' && after === null)
      return listLimitsWithoutOverride(current, policies, before as OverrideState, now);
    if (after === null) return [];
    if (kind === 'limits') return [...listNamedLimit(after as NewNamedLimit), ...own.filter(({ name }) => name === id)];
    if (kind === 'overrides')
      return listOverrideLimits(after as OverrideState).filter(({ name }) => name === undefined || limits.has(name));
    return kind === 'api_keys' && hasOtherNumbers(before as KeyState | null, after as KeyState)
      ? listLimitsOfKey(id)
      : [];
  };
  const listLimitsOfKey = (name: string): MetLimit[] => {
    const key = keys.find(name);
    if (key === undefined) return [];
    const { tier, client_type: clientType, overage_allowed: overageAllowed } = key;
    const numbers = { tier, clientType, overageAllowed, limits: key.limits, granted: keys.sumGrants(name) };
    return listKeyLimits(policies, limits.values(), numbers);
  };
  for (const change of changes) {
    const warning = describeUnpayableCosts(rules, listLimits(change), factor);
    if (warning !== null) warnings.set(change, warning);
  }
  return warnings;
}

/** Collects the named limits after the change. */
function collectLimits(snapshot: Snapshot, changes: readonly StateChange[]) {
  const limits = new Map<string, Pick<NewNamedLimit, 'name' | 'windows' | 'tiers'>>();
  for (const limit of snapshot.limits) limits.set(limit.name, limit);
  for (const { kind, id, after } of changes) {
    if (kind !== 'limits') continue;
    if (after === null) limits.delete(id);
    else limits.set(id, after as NewNamedLimit);
  }
  return limits;
}

/** API keys and their grants after the change, by the name of the key. */
class KeysAfter {
  readonly #keys = new Map<string, KeyState>();
  readonly #granted = new Map<string, number>();

  constructor(snapshot: Snapshot, changes: readonly StateChange[]) {
    for (const row of snapshot.keys) this.#keys.set(row.name, buildKeyState(row));
    for (const { name, grant } of snapshot.grants) this.#grant(name, grant.requests);
    for (const { kind, id, before, after } of changes) {
      if (kind === 'grants')
        this.#grant(id, after === null ? -(before as GrantState).requests : (after as GrantState).requests);
      if (kind !== 'api_keys') continue;
      if (after === null) this.#keys.delete(id);
      else this.#keys.set(id, after as KeyState);
    }
  }

  find(name: string): KeyState | undefined {
    return this.#keys.get(name);
  }

  sumGrants(name: string): number {
    return this.#granted.get(name) ?? 0;
  }

  #grant(name: string, requests: number): void {
    this.#granted.set(name, this.sumGrants(name) + requests);
  }
}

/** Lists the limits of overrides and keys that the document does not change. */
function listUnchangedLimits(snapshot: Snapshot, changes: readonly StateChange[], now: Millis): MetLimit[] {
  const changed = new Set(changes.map(({ kind, id }) => `${kind} ${id}`));
  const ofOverrides = snapshot.overrides
    .filter((row) => findIfActive(row, now) !== undefined && !changed.has(`overrides ${OVERRIDES_SECTION.readId(row)}`))
    .flatMap((row) => listOverrideLimits(OVERRIDES_SECTION.toDocumentEntry(row)));
  const ofKeys = snapshot.keys
    .filter((row) => row.limits !== null && !changed.has(`api_keys ${row.name}`))
    .flatMap((row) => Object.entries(readKeyLimits(row)))
    .flatMap(([name, windows]) => windows.map(({ limit }) => ({ name, limit })));
  return [...ofOverrides, ...ofKeys];
}

function hasOtherNumbers(before: KeyState | null, after: KeyState): boolean {
  const serializeNumbers = (key: KeyState | null) =>
    JSON.stringify([key?.tier, key?.client_type, key?.overage_allowed, key?.limits]);
  return serializeNumbers(before) !== serializeNumbers(after);
}
