import type { EndpointClass, RouteRule } from '@/client/api';
import { isClass } from '@/client/check-answer';
import { classify, compileRule } from '@/lib/enforcement/classify';

/** Returns class and cost of a route. @param path as requested */
export type Classify = (method: string, path: string) => { class: EndpointClass; cost: number };

/** Classifies by the first matching rule, as the server does. A rule that does not compile matches nothing. */
export function classifyByRules(rules: readonly RouteRule[]): Classify {
  const compiled = rules.flatMap((rule) => {
    try {
      return isClass(rule.class) ? [compileRule(rule)] : [];
    } catch {
      return [];
    }
  });
  return (method, path) => classify(compiled, method, path);
}
