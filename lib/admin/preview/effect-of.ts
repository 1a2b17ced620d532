import { and, count, eq, gte } from 'drizzle-orm';
import { decisions, lastUses } from '@/drizzle/schema';
import { quotaUsagesOrNull } from '@/lib/admin/keys/usage';
import { replayPolicies } from '@/lib/admin/limits/dry-run-policies';
import { incidentSentence } from '@/lib/admin/preview/incident-sentence';
import { overrideSentence } from '@/lib/admin/preview/override-sentence';
import { routeRulesSentence } from '@/lib/admin/preview/route-rules-sentence';
import {
  CLOSED_SENTENCE,
  endOfBypassSentence,
  movedMonthSentence,
  replaySentence,
  revocationSentence,
  usedUpSentence,
} from '@/lib/admin/preview/sentences';
import type { AllowlistEntry } from '@/lib/contract/allowlist';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { StoredIncidentSchema } from '@/lib/contract/fields/incident';
import { toInstant } from '@/lib/contract/fields/instant';
import type { QuotaGrant } from '@/lib/contract/grants';
import type { ApiKey } from '@/lib/contract/keys';
import type { Override } from '@/lib/contract/overrides';
import { PoliciesSchema } from '@/lib/contract/policies';
import type { ForeseenChange } from '@/lib/contract/preview';
import { monthsFrom } from '@/lib/limiter/month-anchor';
import { monthEnd } from '@/lib/limiter/window';
import type { Context } from '@/lib/operation/context';
import { HOUR } from '@/lib/statistics/step';

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
      if (changed?.limit === 0) return CLOSED_SENTENCE;
      return overrideSentence(context, old ?? null, changed ?? null);
    }
    case 'allowlist.add':
    case 'allowlist.remove': {
      const ended = after === null ? (before as AllowlistEntry | null) : null;
      return ended === null ? null : endOfBypassSentence(await bypassedBy(context, ended.id));
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
      return from === undefined || to === undefined || from === to ? null : movedMonth(context, target, from, to);
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

/** Requests that passed by an allowlist entry within the last hour, as far as the log holds them. */
async function bypassedBy({ services, now }: Context, id: string): Promise<number> {
  const within = and(gte(decisions.at, now - HOUR), eq(decisions.source, 'allowlist'), eq(decisions.sourceId, id));
  const [row] = await services.database.drizzle.select({ count: count() }).from(decisions).where(within);
  return row?.count ?? 0;
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

/** When the month of a key ends that begins on another day, and what of it is used until then. */
async function movedMonth({ services, now }: Context, id: string, from: number, to: number): Promise<string | null> {
  const key = (await services.rules.fresh()).key(id, now);
  if (key === undefined) return null;
  const [usage] = (await quotaUsagesOrNull(services, [key], now)) ?? [];
  const [today, end] = [from, to].map((day) => toInstant(monthEnd(now, monthsFrom(day, 0).anchor)));
  return movedMonthSentence(today ?? '', end ?? '', usage ?? null, key.overageAllowed && key.tier !== 'free');
}

async function lastUseOf({ services }: Context, subject: string): Promise<string | null> {
  const [row] = await services.database.drizzle.select().from(lastUses).where(eq(lastUses.subject, subject));
  return row === undefined ? null : toInstant(row.at);
}
