import { effectOf } from '@/lib/admin/preview/effect-of';
import { limitOfOverride, limitsOfPolicies, unpayableSentence } from '@/lib/admin/preview/unpayable-costs';
import { StoredIncidentSchema } from '@/lib/contract/fields/incident';
import type { Override } from '@/lib/contract/overrides';
import { PoliciesSchema } from '@/lib/contract/policies';
import type { ForeseenChange, Preview } from '@/lib/contract/preview';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import type { Context } from '@/lib/operation/context';

/** Planned changes with who would be hit. */
export async function withEffects(context: Context, planned: readonly ForeseenChange[]): Promise<Preview['changes']> {
  const changes: Preview['changes'] = [];
  for (const change of planned) {
    const sentences = [await effectOf(context, change), await warningOf(context, change)];
    const effect = sentences.filter((sentence) => sentence !== null).join(' ');
    changes.push(effect === '' ? change : { ...change, effect });
  }
  return changes;
}

/** Warns of costs that the change would make unpayable; null if there are none. */
async function warningOf({ services }: Context, { action, after }: ForeseenChange): Promise<string | null> {
  const rules = await services.rules.fresh();
  switch (action.replace(/\.undo$/, '')) {
    case 'policies.update': {
      const policies = PoliciesSchema.safeParse(after).data;
      return policies === undefined ? null : unpayableSentence(rules.routeRules, limitsOfPolicies(policies));
    }
    case 'route_rules.replace':
      return unpayableSentence(compileRouteRules(after).rules, limitsOfPolicies(rules.policies));
    case 'override.set':
    case 'override.replace':
      return after == null ? null : unpayableSentence(rules.routeRules, limitOfOverride(after as Override));
    case 'incident.start':
    case 'incident.change': {
      const factor = StoredIncidentSchema.safeParse(after).data?.factor ?? null;
      return factor === null ? null : unpayableSentence(rules.routeRules, limitsOfPolicies(rules.policies, factor));
    }
    default:
      return null;
  }
}
