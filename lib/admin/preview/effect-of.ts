import { bypassSentence } from '@/lib/admin/allowlist/bypass-sentence';
import { replaySentence } from '@/lib/admin/effect/sentences';
import { limitOfOverride, limitsOfPolicies, unpayableSentence } from '@/lib/admin/effect/unpayable-costs';
import { incidentSentence } from '@/lib/admin/incident/incident-sentence';
import {
  revokedKeySentence,
  rotatedSentence,
  tierSentences,
  updateSentences,
  usedUp,
} from '@/lib/admin/keys/sentences';
import { DemandOfOverrides, overrideSentence } from '@/lib/admin/overrides/override-sentence';
import { replayPolicies } from '@/lib/admin/policies/dry-run';
import { routeRulesSentence } from '@/lib/admin/route-rules/route-rules-sentence';
import { revokedTokenSentence } from '@/lib/admin/tokens/sentence';
import type { AllowlistEntry } from '@/lib/contract/allowlist';
import { StoredIncidentSchema } from '@/lib/contract/fields/incident';
import type { QuotaGrant } from '@/lib/contract/grants';
import type { ApiKey } from '@/lib/contract/keys';
import type { Override } from '@/lib/contract/overrides';
import { PoliciesSchema } from '@/lib/contract/policies';
import type { ForeseenChange } from '@/lib/contract/preview';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
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
      if (old === undefined || changed === undefined) return null;
      const { routeRules } = await services.rules.fresh();
      const sentence = replaySentence(await replayPolicies(services, now, old, changed));
      return joined([sentence, unpayableSentence(routeRules, limitsOfPolicies(changed))]);
    }
    case 'route_rules.replace': {
      const { policies } = await services.rules.fresh();
      const warning = unpayableSentence(compileRouteRules(after).rules, limitsOfPolicies(policies));
      return joined([await routeRulesSentence(context, before, after), warning]);
    }
    case 'override.set':
    case 'override.replace':
    case 'override.remove': {
      const [old, changed] = [before, after] as (Override | null | undefined)[];
      const { policies, routeRules } = await services.rules.fresh();
      const demand = new DemandOfOverrides(context);
      const inForce = { before: policies, after: policies };
      const sentence = await overrideSentence(demand, old ?? null, changed ?? null, inForce);
      return joined([sentence, changed == null ? null : unpayableSentence(routeRules, limitOfOverride(changed))]);
    }
    case 'allowlist.add':
    case 'allowlist.replace':
    case 'allowlist.remove': {
      const [old, changed] = [before, after] as (AllowlistEntry | null | undefined)[];
      if (old == null) return null;
      if (changed == null) return bypassSentence(context, old.id);
      const end = changed.expires_at;
      if (end === null || (old.expires_at !== null && Date.parse(end) >= Date.parse(old.expires_at))) return null;
      return `It ends at ${end}. ${await bypassSentence(context, old.id)}`;
    }
    case 'incident.start':
    case 'incident.change':
    case 'incident.end': {
      const [old, changed] = [before, after].map((incident) => StoredIncidentSchema.parse(incident));
      const { policies, routeRules } = await services.rules.fresh();
      const limits = limitsOfPolicies(policies, changed?.factor ?? 1);
      const warning = changed?.mode === 'factor' ? unpayableSentence(routeRules, limits) : null;
      return joined([await incidentSentence(context, old ?? null, changed ?? null), warning]);
    }
    case 'quota.tier':
      return joined(await tierSentences(context, target, before as Tiered, after as Tiered));
    case 'grant.add':
    case 'grant.remove': {
      const gone = (before as QuotaGrant | null | undefined)?.requests ?? 0;
      const key = (await services.rules.fresh()).key(target, now);
      if (gone === 0 || (key?.overageAllowed && key.tier !== 'free')) return null;
      return usedUp(context, target, { granted: -gone });
    }
    case 'api_key.update':
      return joined(await updateSentences(context, target, before as ApiKey, after as ApiKey));
    case 'api_key.rotate':
      return rotatedSentence(context, target, after as ApiKey);
    case 'api_key.revoke':
      return isUndo ? null : revokedKeySentence(context, target);
    case 'token.revoke':
      return isUndo ? null : revokedTokenSentence(context, target);
    default:
      return null;
  }
}

type Tiered = Pick<ApiKey, 'tier' | 'overage_allowed'>;

/** Joins the sentences that there are; null if there is none. */
function joined(sentences: readonly (string | null)[]): string | null {
  return sentences.filter((sentence) => sentence !== null).join(' ') || null;
}
