import { URLPattern } from 'urlpattern-polyfill';
import { canonicalPath } from '@/lib/enforcement/canonical-path';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Which class a method and a path belong to, and what a request of theirs weighs. */
export interface RouteRule {
  /** An HTTP method, or `*`. */
  method: string;
  /** The pathname of a URLPattern. */
  path: string;
  class: EndpointClass;
  cost?: number | undefined;
}

/** A rule that is ready to be matched. */
export interface CompiledRule {
  rule: RouteRule;
  matches(method: string, path: string): boolean;
}

/** The standard's signature with options, which the polyfill has and its types leave out. */
const Pattern = URLPattern as unknown as new (
  init: { pathname: string },
  options: { ignoreCase: boolean },
) => URLPattern;

/** Compiles a rule. The letter case of a path makes no difference. @throws TypeError when the pattern is malformed */
export function compileRule(rule: RouteRule): CompiledRule {
  const pattern = new Pattern({ pathname: rule.path }, { ignoreCase: true });
  return {
    rule,
    matches: (method, path) =>
      (rule.method === '*' || rule.method === method || (rule.method === 'GET' && method === 'HEAD')) &&
      pattern.test({ pathname: path }),
  };
}

/** What a request belongs to. */
export interface Classification {
  class: EndpointClass;
  cost: number;
  /** Position of the rule that matched, null for the defaults. */
  rule: number | null;
}

const SIGN_IN_ATTEMPT = /^\/api\/auth\/(?:callback|signin)\/[^/]+$/i;
const AUTH = /^\/auth(?:\/|$)/i;

/** Class and cost of a request: the first rule that matches, else the defaults of the contract (section 3). */
export function classify(rules: readonly CompiledRule[], method: string, pathname: string): Classification {
  const path = canonicalPath(pathname);
  const index = rules.findIndex((one) => one.matches(method, path));
  const matched = rules[index];
  if (matched !== undefined) return { class: matched.rule.class, cost: matched.rule.cost ?? 1, rule: index };
  if (AUTH.test(path) || SIGN_IN_ATTEMPT.test(path)) return { class: 'auth', cost: 1, rule: null };
  return { class: method === 'GET' || method === 'HEAD' ? 'read' : 'write', cost: 1, rule: null };
}
