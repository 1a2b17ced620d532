import { isAuthorizationServer, isSignInAttempt } from '@/lib/enforcement/built-in-paths';
import { SAFE_METHODS } from '@/lib/http/safe-methods';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Returns whether a path has the class `auth` if no route rule matches. @param reading one of `listReadings` */
export function isUsuallyAuth(reading: string): boolean {
  return isAuthorizationServer(reading) || isSignInAttempt(reading);
}

/**
 * Returns the class of a request if neither a route rule nor its path decides. @param method the method in upper case
 */
export function classifyMethod(method: string): EndpointClass {
  return SAFE_METHODS.has(method) ? 'read' : 'write';
}

const BY_STRICTNESS: readonly EndpointClass[] = ['auth', 'sensitive', 'write', 'read', 'lab'];

/** Compares two classes. The result is negative if the first is stricter. */
export function compareStrictness(one: EndpointClass, other: EndpointClass): number {
  return BY_STRICTNESS.indexOf(one) - BY_STRICTNESS.indexOf(other);
}
