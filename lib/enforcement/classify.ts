import type { Counted, RouteRule, RuleLimit } from '@/lib/contract/route-rules';
import { isLabEndpoint } from '@/lib/enforcement/built-in-paths';
import { isPlain, listReadings } from '@/lib/enforcement/path-readings';
import { classifyMethod, compareStrictness, isUsuallyAuth } from '@/lib/enforcement/usual-class';
import { buildComparablePath, PathPattern } from '@/lib/http/path-pattern';
import type { EndpointClass } from '@/lib/limiter/meter';

/** A rule that is ready to match. */
export interface CompiledRule {
  rule: Pick<RouteRule, 'class' | 'cost' | 'counts'> &
    Partial<Omit<RouteRule, 'limits'>> & { limits?: readonly RuleLimit[] | undefined };
  /** @param path the path in the form of `buildComparablePath` */
  matches(method: string, path: string): boolean;
}

/** @throws PatternError */
export function compileRule(rule: Omit<RouteRule, 'limits'> & Pick<CompiledRule['rule'], 'limits'>): CompiledRule {
  const pattern = new PathPattern(rule.path);
  return {
    rule,
    matches: (method, path) =>
      (rule.method === '*' || rule.method === method || (rule.method === 'GET' && method === 'HEAD')) &&
      pattern.matches(path),
  };
}

/** Class and cost of a request. `rule` is the position of the matching rule, or null if a default applies. */
export interface Classified {
  class: EndpointClass;
  cost: number;
  rule: number | null;
  counts?: Counted | undefined;
  /** Named limits of the rules that match. */
  limits?: readonly RuleLimit[] | undefined;
}

/**
 * Returns the class and cost of a request. Each reading of its path takes the first matching rule, or else the class of
 * built-in paths. If readings differ, the strictest class and the highest cost apply; among equals the first rule wins.
 * If nothing matches any reading, the method decides (contract, section 3).
 * @param signedIn whether the caller has a session of the console
 */
export function classify(
  rules: readonly CompiledRule[],
  method: string,
  pathname: string,
  signedIn = false,
): Classified {
  const readings = listReadings(pathname);
  const isLab = signedIn && readings.every(isLabEndpoint);
  let found: Classified | null = null;
  let isUnmatched = false;
  for (const reading of readings) {
    const classified = matchRules(rules, method, reading) ?? (isUsuallyAuth(reading) && !isLab ? USUALLY_AUTH : null);
    if (classified !== null) found = found === null ? classified : mergeStrictest(found, classified);
    // The form without the slash at the end is a reading, too.
    else if (!reading.endsWith('/')) isUnmatched = true;
  }
  // A handler without a rule counts every request.
  if (found !== null && isPartial(found) && isUnmatched && !isUsual(pathname)) found = { ...found, counts: undefined };
  return found === null ? { class: isLab ? 'lab' : classifyMethod(method), cost: 1, rule: null } : { ...found };
}

const USUALLY_AUTH: Classified = { class: 'auth', cost: 1, rule: null };

function matchRules(rules: readonly CompiledRule[], method: string, reading: string): Classified | null {
  if (rules.length === 0) return null;
  const compared = buildComparablePath(reading);
  const index = rules.findIndex((rule) => rule.matches(method, compared));
  const matched = rules[index];
  if (matched === undefined) return null;
  const { class: name, cost = 1, counts, limits } = matched.rule;
  return { class: name, cost, rule: index, counts, limits };
}

function mergeStrictest(one: Classified, other: Classified): Classified {
  const first = isBefore(one, other) ? one : other;
  // Every reading may be the one that reaches the handler, so the limits of all of them apply.
  const limits = [...(first.limits ?? []), ...((first === one ? other : one).limits ?? [])];
  const counts = one.counts === other.counts ? one.counts : undefined;
  const cost = Math.max(one.cost, other.cost);
  return { ...first, cost, counts, limits: limits.length === 0 ? undefined : limits };
}

function isBefore(one: Classified, other: Classified): boolean {
  const byClass = compareStrictness(one.class, other.class);
  if (byClass !== 0) return byClass < 0;
  if (one.cost !== other.cost) return one.cost > other.cost;
  const byCounts = Number(isPartial(one)) - Number(isPartial(other));
  if (one.rule !== null && other.rule !== null && byCounts !== 0) return byCounts < 0;
  return (one.rule ?? Infinity) <= (other.rule ?? Infinity);
}

/** Returns whether only encoded slashes, or one at the end, make a path have several readings. Clients send these. */
function isUsual(path: string): boolean {
  return isPlain(path.replace(/%2f/gi, '-').replace(/\/$/, ''));
}

function isPartial({ counts = 'all' }: Classified): boolean {
  return counts !== 'all';
}
