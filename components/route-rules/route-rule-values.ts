import { zodResolver } from '@hookform/resolvers/zod';
import { z } from 'zod';
import { ReasonInput } from '@/components/form/fields/reason-field';
import { capitalize } from '@/lib/capitalize';
import { type Counted, type RouteRules, RouteRulesSchema } from '@/lib/contract/route-rules';

const RulesForm = z.object({ rules: RouteRulesSchema, reason: ReasonInput });
export type RuleValues = z.input<typeof RulesForm>;

export const routeRuleResolver = zodResolver(RulesForm);

/** Returns the initial values of the form. */
export function buildRuleValues(rules: RouteRules) {
  return { rules: rules.map((rule) => ({ ...rule, cost: rule.cost ?? 1, counts: rule.counts ?? 'all' })), reason: '' };
}

/** Options for which requests count, worded to follow the cost. */
export const COUNTED_OPTIONS = [
  { value: 'all', label: 'always' },
  { value: 'failures', label: 'on failure' },
  { value: 'successes', label: 'on success' },
] as const satisfies readonly { value: Counted; label: string }[];

/** Names a field of the form: `rules.2.path` is "Path of rule 3". */
export function nameRuleField(path: string): string {
  const [, index, field = 'rule'] = path.split('.');
  return index === undefined ? 'Rules' : `${capitalize(field)} of rule ${Number(index) + 1}`;
}
