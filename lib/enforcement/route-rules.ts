import { RouteRuleSchema } from '@/lib/contract/route-rules';
import { type CompiledRule, compileRule } from '@/lib/enforcement/classify';
import { issueMessage } from '@/lib/http/input';

/**
 * Compiles rules that any build may have stored. What `PUT /v1/admin/route-rules` would refuse today matches nothing and
 * is listed in `skipped`, by its place from 1, with a reason that continues "Rule 3" ("path must not have a group: `(`
 * at character 12"); the positions of the others do not change.
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
