import { zodResolver } from '@hookform/resolvers/zod';
import { z } from 'zod';
import { ReasonInput } from '@/components/form/reason-field';
import { type Counted, type RouteRules, RouteRulesSchema } from '@/lib/contract/route-rules';

const RulesForm = z.object({ rules: RouteRulesSchema, reason: ReasonInput });
export type RuleValues = z.input<typeof RulesForm>;

export const routeRuleResolver = zodResolver(RulesForm);

/** What the form starts with, and goes back to. */
export function ruleValues(rules: RouteRules) {
  return { rules: rules.map((rule) => ({ ...rule, cost: rule.cost ?? 1, counts: rule.counts ?? 'all' })), reason: '' };
}

/** As the API takes them: a cost of 1 is the default, and that all requests count. */
export function withoutDefaults(rules: RouteRules): RouteRules {
  return rules.map(({ cost = 1, counts = 'all', ...rule }) => ({
    ...rule,
    ...(cost === 1 ? {} : { cost }),
    ...(counts === 'all' ? {} : { counts }),
  }));
}

/** Which requests count, in words that follow the cost. */
export const COUNTED_OPTIONS = [
  { value: 'all', label: 'always' },
  { value: 'failures', label: 'on failure' },
  { value: 'successes', label: 'on success' },
] as const satisfies readonly { value: Counted; label: string }[];

/** `rules.2.path` is "Path of rule 3". */
export function ruleFieldName(path: string): string {
  const [, index, field = 'rule'] = path.split('.');
  return index === undefined
    ? 'Rules'
    : `${field.charAt(0).toUpperCase()}${field.slice(1)} of rule ${Number(index) + 1}`;
}
