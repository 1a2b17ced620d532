import { and, desc, eq, gte, ne, sql } from 'drizzle-orm';
import { keyOrigins } from '@/drizzle/schema';
import { COUNT_FROM, counted, WARM_UP } from '@/lib/admin/effect/last-hour';
import {
  earlierEndSentence,
  rateSentence,
  revocationSentence,
  rotationSentence,
  type Use,
  usedUpSentence,
} from '@/lib/admin/effect/sentences';
import { limitOfQuota, unpayableSentence } from '@/lib/admin/effect/unpayable-costs';
import { movedMonth } from '@/lib/admin/keys/moved-month';
import { quotaUsagesOrNull } from '@/lib/admin/keys/usage';
import { lastUse } from '@/lib/admin/stored-list';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { toInstantOrNull } from '@/lib/contract/fields/instant';
import type { ApiKey } from '@/lib/contract/keys';
import type { Limit } from '@/lib/contract/policies';
import { clientLimit } from '@/lib/enforcement/plan';
import type { ApiKeyId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';
import { readDemand } from '@/lib/statistics/demand';
import { replayLimit } from '@/lib/statistics/refusal-bounds';
import { DAY, HOUR, MINUTE, startOf } from '@/lib/statistics/step';

type Tiered = Pick<ApiKey, 'tier' | 'overage_allowed'>;

/** Whom another tier of a key would hit: its quota, and its rate where tiers have one. */
export async function tierSentences(context: Context, id: string, before: Tiered, after: Tiered): Promise<string[]> {
  const key = (await context.services.rules.fresh()).key(id, context.now);
  if (key === undefined) return [];
  const unlimited = after.overage_allowed && after.tier !== 'free';
  const { policies } = await context.services.rules.fresh();
  const [today, changed] = [before, after].map(({ tier }) => clientLimit(policies, key.clientType, { tier }));
  const quota = unlimited ? null : await usedUp(context, id, { tier: after.tier });
  return [quota, await rated(context, id, today, changed)].filter((sentence) => sentence !== null);
}

/** Whom an edit of a key would hit. */
export async function updateSentences(context: Context, id: string, before: ApiKey, after: ApiKey): Promise<string[]> {
  const { policies } = await context.services.rules.fresh();
  const told: (string | null)[] = [];
  const [from, to] = [before.month_starts_on, after.month_starts_on];
  if (from !== undefined && to !== undefined && from !== to) told.push(await monthOf(context, id, { from, to }));
  if (before.overage_allowed && !after.overage_allowed) told.push(await usedUp(context, id, {}));
  if (before.client_type !== after.client_type) {
    const { tier } = after;
    const [today, changed] = [before, after].map(({ client_type: type }) => clientLimit(policies, type, { tier }));
    told.push(await rated(context, id, today, changed));
  }
  const end = after.expires_at;
  if (end !== null && (before.expires_at === null || Date.parse(end) < Date.parse(before.expires_at)))
    told.push(earlierEndSentence(end, await keyUse(context, id)));
  return told.filter((sentence) => sentence !== null);
}

/** Whom the end of the secret before would hit. */
export async function rotatedSentence(context: Context, id: string, after: ApiKey): Promise<string> {
  return rotationSentence(after.previous_secret_until, await keyUse(context, id));
}

/** Whom the end of a key would hit. */
export async function revokedKeySentence(context: Context, id: string): Promise<string> {
  return revocationSentence(await keyUse(context, id));
}

/** What a key can do no more with another tier, or with a grant less. */
export async function usedUp(
  { services, now }: Context,
  id: string,
  other: { tier?: QuotaTier; granted?: number },
): Promise<string | null> {
  const rules = await services.rules.fresh();
  const key = rules.key(id, now);
  if (key === undefined) return null;
  const [usage] = (await quotaUsagesOrNull(services, [key], now)) ?? [];
  if (usage === undefined) return null;
  const limit = rules.quotaOf({ id: key.id, tier: other.tier ?? key.tier }, now) + (other.granted ?? 0);
  const exhausted = usage.usage < limit ? null : usedUpSentence(usage.usage, limit, usage.reset_at);
  const warning = unpayableSentence(rules.routeRules, limitOfQuota(limit));
  return [exhausted, warning].filter((sentence) => sentence !== null).join(' ') || null;
}

/** What another rate would have refused of the last hour's requests of a key; null where it makes no difference. */
async function rated({ services, now }: Context, id: string, today?: Limit, changed?: Limit): Promise<string | null> {
  const to = startOf(now, MINUTE);
  if (today === undefined || changed === undefined) return null;
  if (today.limit === changed.limit && today.window_seconds === changed.window_seconds) return null;
  const { identifiers } = await readDemand(services.database, 'client', 'all', to - HOUR - WARM_UP, to);
  const parts = identifiers.get(id);
  if (parts === undefined) return null;
  const replayed = (limit: Limit) => replayLimit([[id, parts]], limit, COUNT_FROM).refusals;
  return rateSentence(counted(parts), replayed(today), replayed(changed));
}

async function monthOf({ services, now }: Context, id: string, days: { from: number; to: number }) {
  const key = (await services.rules.fresh()).key(id, now);
  if (key === undefined) return null;
  const [usage = null] = (await quotaUsagesOrNull(services, [key], now)) ?? [];
  return movedMonth(now, { ...days, usage, unlimited: key.overageAllowed && key.tier !== 'free' });
}

/** What a key was used for: the last hour, and from where within a day. */
async function keyUse(context: Context, id: string): Promise<Use> {
  const { services, now } = context;
  const to = startOf(now, MINUTE);
  const { identifiers } = await readDemand(services.database, 'client', 'all', to - HOUR - WARM_UP, to);
  const ofKey = and(eq(keyOrigins.apiKeyId, id as ApiKeyId), eq(keyOrigins.kind, 'ip'), ne(keyOrigins.origin, ''));
  const origins = await services.database.drizzle
    .select({ origin: keyOrigins.origin })
    .from(keyOrigins)
    .where(and(ofKey, gte(keyOrigins.hour, now - DAY)))
    .groupBy(keyOrigins.origin)
    .orderBy(desc(sql`sum(${keyOrigins.allowed} + ${keyOrigins.refused})`));
  return {
    kind: 'key',
    units: counted(identifiers.get(id) ?? new Float64Array()),
    origins: origins.map(({ origin }) => origin),
    lastUse: toInstantOrNull(await lastUse(services.database, 'api_key', id)),
  };
}
