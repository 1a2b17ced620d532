import type { Check, EndpointClass, RouteRule } from '@/client/api';
import { isClass } from '@/client/check-answer';
import { normalizeAddress } from '@/client/local-limiter';
import { classify, compileRule } from '@/lib/enforcement/classify';

/**
 * Returns class and cost of a route, and the named limits of a check with those of its route rule.
 * @param path as requested
 */
export type Classify = (
  method: string,
  path: string,
  check: Check,
) => { class: EndpointClass; cost: number; limits?: Check['limits'] };

/** Classifies by the first matching rule, as the server does. A rule that does not compile matches nothing. */
export function classifyByRules(rules: readonly RouteRule[]): Classify {
  const compiled = rules.flatMap((rule) => {
    try {
      return isClass(rule.class) ? [compileRule({ ...rule, limits: rule.limits && [...rule.limits] })] : [];
    } catch {
      return [];
    }
  });
  return (method, path, check) => {
    const { class: name, cost, limits = [] } = classify(compiled, method, path);
    const ruled = limits.flatMap(({ name: limit, subject: kind, cost: units = 1 }) => {
      const subject = findSubject(check, kind);
      return subject === undefined ? [] : [{ name: limit, subject, cost: units }];
    });
    return ruled.length === 0
      ? { class: name, cost }
      : { class: name, cost, limits: [...(check.limits ?? []), ...ruled] };
  };
}

/** Returns the subject of a rule's limit. A check does not have the headers of the request, so those are not counted. */
function findSubject({ ip, user_id, api_key, client_id }: Check, kind: string): string | undefined {
  if (kind === 'ip') return ip === undefined ? undefined : normalizeAddress(ip);
  if (kind === 'user') return user_id;
  return kind === 'client' ? (api_key ?? client_id) : undefined;
}
