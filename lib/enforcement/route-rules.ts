import { type Counted, type RouteRule, RouteRuleSchema } from '@/lib/contract/route-rules';
import { canonicalPath, isAuthorizationServer, isLabEndpoint, isSignInAttempt } from '@/lib/enforcement/canonical-path';
import { issueMessage } from '@/lib/http/input';
import { comparablePath, PathPattern } from '@/lib/http/path-pattern';
import type { EndpointClass } from '@/lib/limiter/meter';

/** A rule ready to match. */
export interface CompiledRule {
  rule: Pick<RouteRule, 'class' | 'cost' | 'counts'> & Partial<RouteRule>;
  /** @param path as `comparablePath` writes it */
  matches(method: string, path: string): boolean;
}

/** @throws PatternError */
export function compileRule(rule: RouteRule): CompiledRule {
  const pattern = new PathPattern(rule.path);
  return {
    rule,
    matches: (method, path) =>
      (rule.method === '*' || rule.method === method || (rule.method === 'GET' && method === 'HEAD')) &&
      pattern.matches(path),
  };
}

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

/**
 * Class and cost of a request: the first rule that matches, else the defaults of the contract (section 3).
 * @param signedIn the caller has a session of the console
 * @returns `rule` is the position of the rule that matched, null for the defaults
 */
export function classify(
  rules: readonly CompiledRule[],
  method: string,
  pathname: string,
  signedIn = false,
): { class: EndpointClass; cost: number; rule: number | null; counts?: Counted | undefined } {
  const path = canonicalPath(pathname);
  const compared = rules.length === 0 ? path : comparablePath(path);
  const index = rules.findIndex((rule) => rule.matches(method, compared));
  const matched = rules[index];
  if (matched !== undefined) {
    const { class: name, cost = 1, counts } = matched.rule;
    return { class: name, cost, rule: index, counts };
  }
  if (signedIn && isLabEndpoint(path)) return { class: 'lab', cost: 1, rule: null };
  if (isAuthorizationServer(path) || isSignInAttempt(path)) return { class: 'auth', cost: 1, rule: null };
  return { class: method === 'GET' || method === 'HEAD' ? 'read' : 'write', cost: 1, rule: null };
}
