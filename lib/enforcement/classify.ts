import type { Counted, RouteRule } from '@/lib/contract/route-rules';
import { canonicalPath, isLabEndpoint } from '@/lib/enforcement/canonical-path';
import { usualClass } from '@/lib/enforcement/usual-class';
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

const PLAIN = /^(?:\/[^/.%\\][^/%\\]*)+$/;

/** Whether `canonicalPath` would leave a path as it is: most are plain, and that is found out faster. */
export function isPlain(pathname: string): boolean {
  return PLAIN.test(pathname);
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
  const path = isPlain(pathname) ? pathname : canonicalPath(pathname);
  const compared = rules.length === 0 ? path : comparablePath(path);
  const index = rules.findIndex((rule) => rule.matches(method, compared));
  const matched = rules[index];
  if (matched !== undefined) {
    const { class: name, cost = 1, counts } = matched.rule;
    return { class: name, cost, rule: index, counts };
  }
  if (signedIn && isLabEndpoint(path)) return { class: 'lab', cost: 1, rule: null };
  return { class: usualClass(method, path), cost: 1, rule: null };
}
