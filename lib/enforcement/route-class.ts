import { findProtection } from '@/lib/enforcement/admission';
import { isLabEndpoint, parsePath } from '@/lib/enforcement/built-in-paths';
import { isDecisionPath } from '@/lib/enforcement/decision-api/decision-paths';
import { isOwnRoute } from '@/lib/enforcement/own-routes';
import { isProbePath } from '@/lib/http/probe-paths';
import type { RouteClass } from '@/lib/statistics/metrics';

const BY_PATH: readonly [RegExp, RouteClass][] = [
  [/^\/(?:_next\/|icon\.svg$|favicon\.ico$)/, 'static'],
  [/^\/v1\/oauth(?:\/|$)/, 'oauth'],
  [/^\/v1(?:\/|$)/, 'admin'],
  [/^\/(?:api\/auth|sign-in|invitation)(?:\/|$)/, 'sign_in'],
  [/^\/\.well-known\//, 'oauth'],
];

/** Returns the class of a request target in metrics, traces and the log. The number of classes is small and fixed. */
export function classifyRoute(target: string, hasUpstream: boolean): RouteClass {
  const path = parsePath(target);
  if (findProtection(path, hasUpstream) === 'upstream') return 'upstream';
  if (isDecisionPath(path)) return 'decision';
  if (isProbePath(path)) return 'probe';
  const matched = BY_PATH.find(([pattern]) => pattern.test(path));
  if (matched !== undefined) return matched[1];
  if (isLabEndpoint(path)) return 'oauth';
  return isOwnRoute(path) ? 'console' : 'other';
}
