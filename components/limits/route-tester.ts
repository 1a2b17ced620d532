import type { RouteRules } from '@/lib/contract/route-rules';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { type Classified, type CompiledRule, classify, compileRule } from '@/lib/enforcement/classify';

/** Classifies a method and path as a real request. Null if the path does not start with a slash. */
export type RouteTester = (method: string, path: string) => Classified | null;

/** A rule that does not compile, such as an incomplete one, matches nothing. */
function compileDraft(rule: RouteRules[number]): CompiledRule {
  try {
    return compileRule(rule);
  } catch {
    return { rule, matches: () => false };
  }
}

/** Creates a tester of route rules, saved or not. It uses the function that decides real requests. */
export function createRouteTester(rules: RouteRules): RouteTester {
  const compiled = rules.map(compileDraft);
  return (method, path) => (path.startsWith('/') ? classify(compiled, method, parsePath(path)) : null);
}
