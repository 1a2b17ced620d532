import { eq } from 'drizzle-orm';
import { lastUses } from '@/drizzle/schema';
import { quotaUsagesOrNull } from '@/lib/admin/keys/usage';
import { replayPolicies } from '@/lib/admin/limits/dry-run-policies';
import { bypassedBy } from '@/lib/admin/preview/bypassed-by';
import { incidentSentence } from '@/lib/admin/preview/incident-sentence';
import { movedMonth } from '@/lib/admin/preview/moved-month';
import { DemandOfOverrides, overrideSentence } from '@/lib/admin/preview/override-sentence';
import { routeRulesSentence } from '@/lib/admin/preview/route-rules-sentence';
import { endOfBypassSentence, replaySentence, revocationSentence, usedUpSentence } from '@/lib/admin/preview/sentences';
import type { AllowlistEntry } from '@/lib/contract/allowlist';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { StoredIncidentSchema } from '@/lib/contract/fields/incident';
import { toInstant } from '@/lib/contract/fields/instant';
import type { QuotaGrant } from '@/lib/contract/grants';
import type { ApiKey } from '@/lib/contract/keys';
import type { Override } from '@/lib/contract/overrides';
import { PoliciesSchema } from '@/lib/contract/policies';
import type { ForeseenChange } from '@/lib/contract/preview';
import type { Context } from '@/lib/operation/context';

/** Whom a planned change would hit, in a sentence, as far as what is known of the traffic tells. Null: nobody is known. */
export async function effectOf(
  context: Context,
  { action, target, before, after }: ForeseenChange,
): Promise<string | null> {
  const { services, now } = context;
  const isUndo = action.endsWith('.undo');
  // An undo is told by what it leaves: the end of a revocation, for one, hits nobody.
  switch (action.replace(/\.undo$/, '')) {
    case 'policies.update': {
      const [old, changed] = [before, after].map((policies) => PoliciesSchema.safeParse(policies).data);
      return old && changed ? replaySentence(await replayPolicies(services, now, old, changed)) : null;
    }
    case 'route_rules.replace':
      return routeRulesSentence(context, before, after);
    case 'override.set':
    case 'override.replace':
    case 'override.remove': {
      const [old, changed] = [before, after] as (Override | null | undefined)[];
      const { policies } = await services.rules.fresh();
      const demand = new DemandOfOverrides(context);
      return overrideSentence(demand, old ?? null, changed ?? null, { before: policies, after: policies });
    }
    case 'allowlist.add':
    case 'allowlist.remove': {
      const ended = after === null ? (before as AllowlistEntry | null) : null;
      if (ended === null) return null;
      return endOfBypassSentence((await bypassedBy(context, [ended.id])).get(ended.id) ?? 0);
    }
    case 'incident.start':
    case 'incident.change':
    case 'incident.end': {
      const [old, changed] = [before, after].map((incident) => StoredIncidentSchema.parse(incident));
      return incidentSentence(context, old ?? null, changed ?? null);
    }
    case 'quota.tier': {
      const { tier, overage_allowed: unlimited } = after as Pick<ApiKey, 'tier' | 'overage_allowed'>;
      return unlimited && tier !== 'free' ? null : usedUp(context, target, { tier });
    }
    case 'grant.add':
    case 'grant.remove': {
      const gone = (before as QuotaGrant | null | undefined)?.requests ?? 0;
      return gone === 0 ? null : usedUp(context, target, { granted: -gone });
    }
    case 'api_key.update': {
      const [from, to] = [before, after].map((key) => (key as ApiKey).month_starts_on);
      return from === undefined || to === undefined || from === to ? null : monthOf(context, target, { from, to });
    }
    case 'api_key.revoke':
      if (isUndo) return null;
      return revocationSentence(await lastUseOf(context, `api_key:${target}`));
    case 'token.revoke':
      if (isUndo) return null;
      return revocationSentence(await lastUseOf(context, `token:${target}`));
    default:
      return null;
  }
}

/** What a key can do no more with another tier, or with a grant less. */
async function usedUp(
  { services, now }: Context,
  id: string,
  other: { tier?: QuotaTier; granted?: number },
): Promise<string | null> {
  const rules = await services.rules.fresh();
  const key = rules.key(id, now);
  if (key === undefined || (key.overageAllowed && key.tier !== 'free' && other.tier === undefined)) return null;
  const [usage] = (await quotaUsagesOrNull(services, [key], now)) ?? [];
  if (usage === undefined) return null;
  const limit = rules.quotaOf({ id: key.id, tier: other.tier ?? key.tier }, now) + (other.granted ?? 0);
  return usage.usage < limit ? null : usedUpSentence(usage.usage, limit);
}

async function monthOf({ services, now }: Context, id: string, days: { from: number; to: number }) {
  const key = (await services.rules.fresh()).key(id, now);
  if (key === undefined) return null;
  const [usage = null] = (await quotaUsagesOrNull(services, [key], now)) ?? [];
  return movedMonth(now, { ...days, usage, unlimited: key.overageAllowed && key.tier !== 'free' });
}

async function lastUseOf({ services }: Context, subject: string): Promise<string | null> {
  const [row] = await services.database.drizzle.select().from(lastUses).where(eq(lastUses.subject, subject));
  return row === undefined ? null : toInstant(row.at);
}
