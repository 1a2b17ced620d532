import { isAuthorizationServer, isSignInAttempt } from '@/lib/enforcement/canonical-path';
import type { EndpointClass } from '@/lib/limiter/meter';

/**
 * The class of a request that no route rule names.
 * @param method in upper case
 * @param path as `canonicalPath` writes it
 */
export function usualClass(method: string, path: string): EndpointClass {
  if (isAuthorizationServer(path) || isSignInAttempt(path)) return 'auth';
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}
