import { and, desc, eq, gte, ne, sql } from 'drizzle-orm';
import { decisions, keyOrigins } from '@/drizzle/schema';
import type { ChangeKind } from '@/lib/admin/change-kind/change-kind';
import { formatEarlierEnd, formatRevocation, formatRotation, type Use } from '@/lib/admin/effect/credential-sentences';
import { COUNT_FROM, LastHourDemand, sumLastHour } from '@/lib/admin/effect/last-hour';
import { listLimitsOfKey } from '@/lib/admin/effect/met-limits';
import { formatExhaustedLimit, formatGrant, formatRateRefusals, joinSentences } from '@/lib/admin/effect/sentences';
import { describeCosts } from '@/lib/admin/effect/unpayable-costs';
import { describeMovedMonth } from '@/lib/admin/keys/moved-month';
import { readQuotaUsagesOrNull } from '@/lib/admin/keys/usage';
import { readLastUse } from '@/lib/admin/stored-list';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { ApiKey } from '@/lib/contract/keys';
import type { Limit } from '@/lib/contract/policies';
import { findClientLimit } from '@/lib/enforcement/class-limits';
import type { ApiKeyId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';
import { replayLimit } from '@/lib/statistics/refusal-bounds';
import { DAY, HOUR } from '@/lib/units';

type Effect = NonNullable<ChangeKind['effect']>;
type Tiered = Pick<ApiKey, 'tier' | 'overage_allowed'>;

/** Describes the effect of another tier on the quota of a key, and on its rate if tiers have one. */
export const describeTierEffect: Effect = async (context, { target: id, before, after }) => {
  const [old, changed] = [before as Tiered, after as Tiered];
  const rules = await context.services.rules.readFresh();
  const key = rules.findKeyById(id, context.now);
  if (key === undefined) return null;
  const unlimited = changed.overage_allowed && changed.tier !== 'free';
  const rates = [old, changed].map(({ tier }) => findClientLimit(rules.policies, key.clientType, { tier }).limit);
  const quota = unlimited ? null : await describeExhaustedQuota(context, id, { tier: changed.tier });
  const granted = rules.sumGrants(id, context.now);
  const { tier, overage_allowed: overageAllowed } = changed;
  const warning = describeCosts(rules, context.now, listLimitsOfKey(rules, { ...key, tier, overageAllowed, granted }));
  return joinSentences(quota, await describeRateEffect(context, id, rates), warning);
};

/** Describes the effect of an edit of a key. */
export const describeUpdateEffect: Effect = async (context, { target: id, before, after }) => {
  const [old, changed] = [before as ApiKey, after as ApiKey];
  const rules = await context.services.rules.readFresh();
  const { policies } = rules;
  const sentences: (string | null)[] = [];
  const [from, to] = [old.month_starts_on, changed.month_starts_on];
  if (from !== undefined && to !== undefined && from !== to)
    sentences.push(await describeMonthEffect(context, id, { from, to }));
  if (old.overage_allowed && !changed.overage_allowed) sentences.push(await describeExhaustedQuota(context, id, {}));
  if (old.client_type !== changed.client_type) {
    const { tier } = changed;
    const rates = [old, changed].map(({ client_type: type }) => findClientLimit(policies, type, { tier }).limit);
    sentences.push(await describeRateEffect(context, id, rates));
  }
  const end = changed.expires_at;
  if (end !== null && (old.expires_at === null || Date.parse(end) < Date.parse(old.expires_at)))
    sentences.push(formatEarlierEnd(end, await readKeyUse(context, id)));
  if (hasOtherNumbers(old, changed)) {
    const granted = rules.sumGrants(id, context.now);
    sentences.push(describeCosts(rules, context.now, listLimitsOfKey(rules, { ...readNumbers(changed), granted })));
  }
  return joinSentences(...sentences);
};

/** Warns of costs that a new key can never pay. */
export const describeCreationEffect: Effect = async ({ services, now }, { after }) => {
  const rules = await services.rules.readFresh();
  return describeCosts(rules, now, listLimitsOfKey(rules, { ...readNumbers(after as ApiKey), granted: 0 }));
};

/** Reads the numbers of a key that its limits depend on. */
function readNumbers({ tier, client_type: clientType, overage_allowed: overageAllowed, limits }: ApiKey) {
  return { tier, clientType, overageAllowed, limits };
}

function hasOtherNumbers(one: ApiKey, other: ApiKey): boolean {
  return JSON.stringify(readNumbers(one)) !== JSON.stringify(readNumbers(other));
}

/** Describes the requests that fail when the previous secret ends. */
export const describeRotationEffect: Effect = async (context, { target, after }) =>
  formatRotation((after as ApiKey).previous_secret_until, await readKeyUse(context, target));

/** Describes the requests that fail when a key is revoked. The undo of a revocation has no such effect. */
export const describeRevocationEffect: Effect = async (context, { action, target }) =>
  action === 'api_key.revoke' ? formatRevocation(await readKeyUse(context, target)) : null;

/** Says that a key has exhausted its quota under another tier, or without a grant. */
export async function describeExhaustedQuota(
  { services, now }: Context,
  id: string,
  other: { tier?: QuotaTier; granted?: number },
): Promise<string | null> {
  const rules = await services.rules.readFresh();
  const key = rules.findKeyById(id, now);
  if (key === undefined) return null;
  const [usage] = (await readQuotaUsagesOrNull(services, [key], now)) ?? [];
  if (usage === undefined) return null;
  const limit = rules.computeQuota({ id: key.id, tier: other.tier ?? key.tier }, now) + (other.granted ?? 0);
  return usage.usage < limit ? null : formatExhaustedLimit(usage.usage, limit, usage.reset_at);
}

/** Says what a new grant lets pass. Null if the key may exceed its quota anyway, or is revoked. */
export async function describeAddedGrant(context: Context, id: string, requests: number): Promise<string | null> {
  const { services, now } = context;
  const key = (await services.rules.readFresh()).findKeyById(id, now);
  if (key === undefined) return null;
  if (key.overageAllowed && key.tier !== 'free') return 'The key may exceed its quota, so a grant changes nothing.';
  const [usage = null] = (await readQuotaUsagesOrNull(services, [key], now)) ?? [];
  const byQuota = and(eq(decisions.apiKeyId, key.id as ApiKeyId), eq(decisions.reason, 'quota_exceeded'));
  const [logged] = await services.database.drizzle
    .select({ refused: sql<number>`coalesce(sum(${decisions.count}), 0)` })
    .from(decisions)
    .where(and(byQuota, gte(decisions.at, now - HOUR)));
  return formatGrant(usage, requests, logged?.refused ?? 0);
}

/** Describes the refusals of a key's last hour under another rate. Null if it makes no difference. */
async function describeRateEffect(
  context: Context,
  id: string,
  [today, changed]: readonly (Limit | undefined)[],
): Promise<string | null> {
  if (today === undefined || changed === undefined) return null;
  if (today.limit === changed.limit && today.window_seconds === changed.window_seconds) return null;
  const { identifiers } = await new LastHourDemand(context).read('client', 'all');
  const parts = identifiers.get(id);
  if (parts === undefined) return null;
  const countRefusals = (limit: Limit) => replayLimit([[id, parts]], limit, COUNT_FROM).refusals;
  return formatRateRefusals(sumLastHour(parts), countRefusals(today), countRefusals(changed));
}

async function describeMonthEffect({ services, now }: Context, id: string, days: { from: number; to: number }) {
  const key = (await services.rules.readFresh()).findKeyById(id, now);
  if (key === undefined) return null;
  const [usage = null] = (await readQuotaUsagesOrNull(services, [key], now)) ?? [];
  return describeMovedMonth(now, { ...days, usage, unlimited: key.overageAllowed && key.tier !== 'free' });
}

/** Reads the use of a key: the units of the last hour, and the addresses of the last day. */
async function readKeyUse(context: Context, id: string): Promise<Use> {
  const { services, now } = context;
  const { identifiers } = await new LastHourDemand(context).read('client', 'all');
  const ofKey = and(eq(keyOrigins.apiKeyId, id as ApiKeyId), eq(keyOrigins.kind, 'ip'), ne(keyOrigins.origin, ''));
  const origins = await services.database.drizzle
    .select({ origin: keyOrigins.origin })
    .from(keyOrigins)
    .where(and(ofKey, gte(keyOrigins.hour, now - DAY)))
    .groupBy(keyOrigins.origin)
    .orderBy(desc(sql`sum(${keyOrigins.allowed} + ${keyOrigins.refused})`));
  return {
    kind: 'key',
    units: sumLastHour(identifiers.get(id) ?? new Float64Array()),
    origins: origins.map(({ origin }) => origin),
    lastUse: formatTimestampOrNull(await readLastUse(services.database, 'api_key', id)),
  };
}
