import type { EndpointClass, RouteRule } from '@/client/api';
import { isClass } from '@/client/check-answer';
import { classify, compileRule } from '@/lib/enforcement/classify';

/** Class and cost of a route. @param path as it was asked */
export type Classify = (method: string, path: string) => { class: EndpointClass; cost: number };

/** Class and cost by the first rule that matches, as the server; like there, a rule that it cannot read matches nothing. */
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
