import { isAuthorizationServer, isSignInAttempt } from '@/lib/enforcement/built-in-paths';
import { SAFE_METHODS } from '@/lib/http/safe-methods.mjs';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Whether a path is of class `auth` where no route rule says otherwise. @param reading one of `toReadings` */
export function isUsuallyAuth(reading: string): boolean {
  return isAuthorizationServer(reading) || isSignInAttempt(reading);
}

/** The class of a request that neither a route rule nor its path decides. @param method in upper case */
export function classOfMethod(method: string): EndpointClass {
  return SAFE_METHODS.has(method) ? 'read' : 'write';
}

const BY_STRICTNESS: readonly EndpointClass[] = ['auth', 'sensitive', 'write', 'read', 'lab'];

/** Below zero if the first class is stricter. */
export function compareStrictness(one: EndpointClass, other: EndpointClass): number {
  return BY_STRICTNESS.indexOf(one) - BY_STRICTNESS.indexOf(other);
}
