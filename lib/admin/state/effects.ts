import { and, inArray, isNotNull, max } from 'drizzle-orm';
import { apiKeys, lastUses } from '@/drizzle/schema';
import { quotaUsagesOrNull } from '@/lib/admin/keys/usage';
import { replayPolicies } from '@/lib/admin/limits/dry-run-policies';
import {
  CLOSED_SENTENCE,
  replaySentence,
  returnSentence,
  revocationSentence,
  usedUpSentence,
} from '@/lib/admin/preview/sentences';
import type { Snapshot } from '@/lib/admin/state/snapshot';
import { toInstant } from '@/lib/contract/fields/instant';
import { type Policies, PoliciesSchema } from '@/lib/contract/policies';
import type { RulesState, StateChange } from '@/lib/contract/state';
import type { Context } from '@/lib/operation/context';

/** Most keys whose use is looked up. */
const MOST_KEYS = 1_000;

type Key = Snapshot['keys'][number];
type ShownKey = RulesState['api_keys'][number];
type ShownGrant = RulesState['grants'][number];
type ShownOverride = RulesState['overrides'][number];

/** Says of changes whom they would hit, as far as what is known of the traffic tells. */
export async function addEffects(context: Context, snapshot: Snapshot, changes: StateChange[]): Promise<void> {
  let policies = snapshot.policies;
  for (const change of changes) {
    if (change.kind === 'policies') {
      policies = PoliciesSchema.parse(change.after);
      change.effect = replaySentence(await replayPolicies(context.services, context.now, snapshot.policies, policies));
    } else if (change.kind === 'overrides' && (change.after as ShownOverride | null)?.limit === 0) {
      change.effect = CLOSED_SENTENCE;
    }
  }
  const byName = new Map(snapshot.keys.map((key) => [key.name, key]));
  await addQuotaEffects(context, policies, byName, changes);
  await addRevocationEffects(context, byName, changes);
  await addReturnEffects(context, changes);
}

/** Keys with another tier, or a grant less, that have used more than they may then. */
async function addQuotaEffects(
  { services, now }: Context,
  policies: Policies,
  byName: ReadonlyMap<string, Key>,
  changes: readonly StateChange[],
): Promise<void> {
  const rules = await services.rules.fresh();
  const tiers = new Map<string, ShownKey['tier']>();
  const granted = new Map<string, number>();
  const last = new Map<string, StateChange>();
  for (const change of changes) {
    const { action, kind, id, before, after } = change;
    if (kind === 'api_keys' && action === 'update') tiers.set(id, (after as ShownKey).tier);
    else if (kind === 'grants') {
      const { requests } = (before ?? after) as ShownGrant;
      granted.set(id, (granted.get(id) ?? 0) + (before === null ? requests : -requests));
    } else continue;
    last.set(id, change);
  }
  const keys = [...last.keys()].flatMap((name) => byName.get(name) ?? []).slice(0, MOST_KEYS);
  const usages = await quotaUsagesOrNull(services, keys, now);
  for (const [index, key] of keys.entries()) {
    const tier = tiers.get(key.name) ?? key.tier;
    const limit = policies.tiers[tier] + rules.granted(key.id, now) + (granted.get(key.name) ?? 0);
    const usage = usages?.[index];
    const change = last.get(key.name);
    if (usage === undefined || change === undefined || usage.usage < limit || limit >= usage.limit) continue;
    if (key.overageAllowed && tier !== 'free') continue;
    change.effect = usedUpSentence(usage.usage, limit);
  }
}

/** Keys that a document makes anew, because those of their names were revoked. */
async function addReturnEffects({ services }: Context, changes: readonly StateChange[]): Promise<void> {
  const made = changes.filter(({ kind, action }) => kind === 'api_keys' && action === 'create').slice(0, MOST_KEYS);
  if (made.length === 0) return;
  const revoked = await services.database.drizzle
    .select({ name: apiKeys.name, at: max(apiKeys.revokedAt) })
    .from(apiKeys)
    .where(
      and(
        isNotNull(apiKeys.revokedAt),
        inArray(
          apiKeys.name,
          made.map(({ id }) => id),
        ),
      ),
    )
    .groupBy(apiKeys.name);
  const byName = new Map(revoked.map(({ name, at }) => [name, at]));
  for (const change of made) {
    const at = byName.get(change.id);
    if (at != null) change.effect = returnSentence(toInstant(at));
  }
}

async function addRevocationEffects(
  { services }: Context,
  byName: ReadonlyMap<string, Key>,
  changes: readonly StateChange[],
): Promise<void> {
  const revoked = changes.filter(({ kind, action }) => kind === 'api_keys' && action === 'delete').slice(0, MOST_KEYS);
  const subjectOf = ({ id }: StateChange) => `api_key:${byName.get(id)?.id}`;
  if (revoked.length === 0) return;
  const used = await services.database.drizzle
    .select()
    .from(lastUses)
    .where(inArray(lastUses.subject, revoked.map(subjectOf)));
  const bySubject = new Map(used.map(({ subject, at }) => [subject, at]));
  for (const change of revoked) {
    const at = bySubject.get(subjectOf(change));
    change.effect = revocationSentence(at === undefined ? null : toInstant(at));
  }
}
