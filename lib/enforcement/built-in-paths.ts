const SIGN_IN = /^\/api\/auth\/(?:callback|signin)\/[^/]+$/i;
const PROVIDER_SIGN_IN = /^\/api\/auth\/(?:callback|signin)\/(?:github|oidc)$/i;
const AUTHORIZATION_SERVER = /^\/auth(?:\/|$)/i;

const LAB_ENDPOINT = /^\/(?:auth(?:\/.*)?|api\/data\/?)$/i;

/** Returns whether a path is an endpoint of the OAuth lab. */
export function isLabEndpoint(path: string): boolean {
  return LAB_ENDPOINT.test(path);
}

/**
 * Returns whether a path is part of a sign-in, by password or with a provider. Such paths are decided in every
 * spelling.
 */
export function isSignIn(path: string): boolean {
  return SIGN_IN.test(path);
}

/**
 * Returns whether a path takes a password or an invitation and so has the class `auth`. A sign-in with a provider is
 * exempt, because it sends no secret that could be guessed here. It also takes two requests: in the class `auth`, five
 * people behind one address would use up its minute.
 */
export function isSignInAttempt(path: string): boolean {
  return isSignIn(path) && !PROVIDER_SIGN_IN.test(path);
}

/**
 * Returns whether a path belongs to the authorization server. Its class is `auth`, and its requests may name an OAuth
 * client.
 */
export function isAuthorizationServer(path: string): boolean {
  return AUTHORIZATION_SERVER.test(path);
}

/**
 * Returns the path of a request target, without its query. A `#` stays, because no client sends one and servers differ.
 */
export function parsePath(target: string): string {
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}
