import { and, inArray, isNotNull, max } from 'drizzle-orm';
import { apiKeys, lastUses } from '@/drizzle/schema';
import { AdmittedDemand, describeAdmission } from '@/lib/admin/allowlist/admission-sentence';
import { describeBypassEnd } from '@/lib/admin/allowlist/bypass-sentence';
import { formatReusedName, NEVER_USED } from '@/lib/admin/effect/credential-sentences';
import { LastHourDemand } from '@/lib/admin/effect/last-hour';
import { formatExhaustedLimit, formatOverrideOverlaps, formatReplay } from '@/lib/admin/effect/sentences';
import { findOverlaps } from '@/lib/admin/exception-kind/overlaps';
import { describeMovedMonth } from '@/lib/admin/keys/moved-month';
import { readQuotaUsagesOrNull } from '@/lib/admin/keys/usage';
import { describeLimitRemoval } from '@/lib/admin/named-limits/removal-sentence';
import {
  describeOverrideEffect,
  selectClassOverride,
  selectNamedOverride,
} from '@/lib/admin/overrides/override-sentence';
import { describeSubjectEffect } from '@/lib/admin/overrides/subject-sentence';
import { replayPolicies } from '@/lib/admin/policies/dry-run';
import { describeRouteRulesEffect } from '@/lib/admin/route-rules/route-rules-sentence';
import { findCostWarnings } from '@/lib/admin/state/cost-warnings';
import { ALLOWLIST_SECTION } from '@/lib/admin/state/entries';
import { buildKeyState } from '@/lib/admin/state/keys';
import type { Snapshot } from '@/lib/admin/state/snapshot';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { type Policies, PoliciesSchema } from '@/lib/contract/policies';
import type { RulesState, StateChange } from '@/lib/contract/state';
import type { Context } from '@/lib/operation/context';
import { takeTurn } from '@/lib/take-turn';

/** Most keys, allowlist entries and overrides whose use is read. */
const MOST_READ = 1_000;
/** Most overrides and allowlist entries that are replayed, because each may replay all demand of its class. */
const MOST_REPLAYED = 100;

type Key = Snapshot['keys'][number];
type ShownKey = RulesState['api_keys'][number];
type ShownGrant = RulesState['grants'][number];
type ShownOverride = RulesState['overrides'][number];

/**
 * Adds the effect of each change, as recorded traffic shows it, in the words of the single previews.
 * Reads the traffic once for all changes.
 */
export async function addEffects(context: Context, snapshot: Snapshot, changes: StateChange[]): Promise<void> {
  let policies = snapshot.policies;
  for (const change of changes) {
    if (change.kind === 'policies') {
      policies = PoliciesSchema.parse(change.after);
      appendEffect(
        change,
        formatReplay(await replayPolicies(context.services, context.now, snapshot.policies, policies)),
      );
    } else if (change.kind === 'limits' && change.after === null) {
      appendEffect(change, await describeLimitRemoval(context, change.id));
    } else if (change.kind === 'route_rules') {
      appendEffect(change, await describeRouteRulesEffect(context, change.before, change.after));
    }
  }
  for (const [change, warning] of await findCostWarnings(context, snapshot, policies, changes))
    appendEffect(change, warning);
  const byName = new Map(snapshot.keys.map((key) => [key.name, key]));
  await addQuotaEffects(context, policies, byName, changes);
  await addRevocationEffects(context, byName, changes);
  await addReturnEffects(context, changes);
  await addBypassEffects(context, snapshot, changes);
  await addOverrideEffects(context, { before: snapshot.policies, after: policies }, changes);
}

function appendEffect(change: StateChange, sentence: string | null): void {
  if (sentence !== null) change.effect = change.effect === undefined ? sentence : `${change.effect} ${sentence}`;
}

/** Adds effects for keys whose month moves, or whose usage exceeds their quota under a new tier or without a grant. */
async function addQuotaEffects(
  { services, now }: Context,
  policies: Policies,
  byName: ReadonlyMap<string, Key>,
  changes: readonly StateChange[],
): Promise<void> {
  const rules = await services.rules.readFresh();
  const edited = new Map<string, StateChange>();
  const granted = new Map<string, number>();
  const last = new Map<string, StateChange>();
  for (const change of changes) {
    const { action, kind, id, before, after } = change;
    if (kind === 'api_keys' && action === 'update') edited.set(id, change);
    else if (kind === 'grants') {
      const { requests } = (before ?? after) as ShownGrant;
      granted.set(id, (granted.get(id) ?? 0) + (before === null ? requests : -requests));
    } else continue;
    last.set(id, change);
  }
  const keys = [...last.keys()].flatMap((name) => byName.get(name) ?? []).slice(0, MOST_READ);
  const usages = await readQuotaUsagesOrNull(services, keys, now);
  for (const [index, key] of keys.entries()) {
    const edit = edited.get(key.name);
    const settled = (edit?.after as ShownKey | undefined) ?? buildKeyState(key);
    const limit = policies.tiers[settled.tier] + rules.sumGrants(key.id, now) + (granted.get(key.name) ?? 0);
    const usage = usages?.[index];
    if (edit !== undefined && settled.month_starts_on !== key.monthStartsOn) {
      const days = { from: key.monthStartsOn, to: settled.month_starts_on };
      const used = usage === undefined ? null : { usage: usage.usage, limit };
      const unlimited = settled.overage_allowed && settled.tier !== 'free';
      appendEffect(edit, describeMovedMonth(now, { ...days, usage: used, unlimited }));
    }
    const change = last.get(key.name);
    if (usage === undefined || change === undefined || usage.usage < limit || limit >= usage.limit) continue;
    if (key.overageAllowed && settled.tier !== 'free') continue;
    appendEffect(change, formatExhaustedLimit(usage.usage, limit, usage.reset_at));
  }
}

/** Adds effects for allowlist entries that are added or removed. */
async function addBypassEffects(
  context: Context,
  { allowlist }: Snapshot,
  changes: readonly StateChange[],
): Promise<void> {
  const ended = changes.filter(({ kind, action }) => kind === 'allowlist' && action === 'delete');
  const ids = new Map(allowlist.map((row) => [ALLOWLIST_SECTION.readId(row), row.id]));
  for (const change of ended.slice(0, MOST_REPLAYED)) {
    const id = ids.get(change.id);
    if (id !== undefined) appendEffect(change, await describeBypassEnd(context, id));
  }
  const traffic = new AdmittedDemand(context);
  const added = changes.filter(({ kind, action }) => kind === 'allowlist' && action === 'create');
  for (const change of added.slice(0, MOST_REPLAYED))
    appendEffect(change, await describeAdmission(traffic, change.after as RulesState['allowlist'][number]));
}

/** Adds effects for overrides that are set, changed or removed. */
async function addOverrideEffects(
  context: Context,
  policies: Readonly<Record<'before' | 'after', Policies>>,
  changes: readonly StateChange[],
): Promise<void> {
  const demand = new LastHourDemand(context);
  const rules = await context.services.rules.readFresh();
  let replayed = 0;
  for (const change of changes) {
    if (change.kind !== 'overrides') continue;
    const [before, after] = [change.before, change.after] as (ShownOverride | null)[];
    const named = await describeSubjectEffect(
      context,
      selectNamedOverride(before ?? null),
      selectNamedOverride(after ?? null),
    );
    if (named !== null) {
      appendEffect(change, named);
      continue;
    }
    const isClosed = after?.limit === 0;
    if (!isClosed) replayed += 1;
    if (!isClosed && replayed > MOST_REPLAYED) continue;
    appendEffect(
      change,
      await describeOverrideEffect(
        demand,
        selectClassOverride(before ?? null),
        selectClassOverride(after ?? null),
        policies,
      ),
    );
    if (after != null) appendEffect(change, formatOverrideOverlaps(findOverlaps(rules, after, context.now)));
    if (!isClosed) await takeTurn();
  }
}

/** Adds a note to new keys that take the name of a revoked key. */
async function addReturnEffects({ services }: Context, changes: readonly StateChange[]): Promise<void> {
  const created = changes.filter(({ kind, action }) => kind === 'api_keys' && action === 'create').slice(0, MOST_READ);
  if (created.length === 0) return;
  const revoked = await services.database.drizzle
    .select({ name: apiKeys.name, at: max(apiKeys.revokedAt) })
    .from(apiKeys)
    .where(
      and(
        isNotNull(apiKeys.revokedAt),
        inArray(
          apiKeys.name,
          created.map(({ id }) => id),
        ),
      ),
    )
    .groupBy(apiKeys.name);
  const byName = new Map(revoked.map(({ name, at }) => [name, at]));
  for (const change of created) {
    const at = byName.get(change.id);
    if (at != null) appendEffect(change, formatReusedName(formatTimestamp(at)));
  }
}

async function addRevocationEffects(
  { services }: Context,
  byName: ReadonlyMap<string, Key>,
  changes: readonly StateChange[],
): Promise<void> {
  const revoked = changes.filter(({ kind, action }) => kind === 'api_keys' && action === 'delete').slice(0, MOST_READ);
  const formatSubject = ({ id }: StateChange) => `api_key:${byName.get(id)?.id}`;
  if (revoked.length === 0) return;
  const used = await services.database.drizzle
    .select()
    .from(lastUses)
    .where(inArray(lastUses.subject, revoked.map(formatSubject)));
  const bySubject = new Map(used.map(({ subject, at }) => [subject, at]));
  for (const change of revoked) {
    const at = bySubject.get(formatSubject(change));
    const lastUse = at === undefined ? null : formatTimestamp(at);
    appendEffect(change, lastUse === null ? NEVER_USED : `Requests with it get 401; it was last used at ${lastUse}.`);
  }
}
