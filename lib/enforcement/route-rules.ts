import { RouteRuleSchema } from '@/lib/contract/route-rules';
import { type CompiledRule, compileRule } from '@/lib/enforcement/classify';
import { issueMessage } from '@/lib/http/input';

/**
 * Compiles rules that any version may have stored. A rule that `PUT /v1/admin/route-rules` would refuse today matches
 * nothing. It is listed in `skipped` with its position from 1 and a reason. The reason continues "Rule 3" ("path must
 * not have a group: `(` at character 12"). The positions of the other rules do not change.
 */
export function compileRouteRules(stored: unknown) {
  const skipped: { position: number; reason: string }[] = [];
  const rules = (Array.isArray(stored) ? stored : []).map((entry: unknown, index): CompiledRule => {
    const read = RouteRuleSchema.safeParse(entry);
    if (read.success) return compileRule(read.data);
    const [issue] = read.error.issues;
    skipped.push({ position: index + 1, reason: issue ? `${issue.path.join('.')} ${issueMessage(issue)}`.trim() : '' });
    return { rule: { class: 'read' }, matches: () => false };
  });
  return { rules, skipped };
}
