const SIGN_IN = /^\/api\/auth\/(?:callback|signin)\/[^/]+$/i;
const PROVIDER_SIGN_IN = /^\/api\/auth\/(?:callback|signin)\/(?:github|oidc)$/i;
const AUTHORIZATION_SERVER = /^\/auth(?:\/|$)/i;

const LAB_ENDPOINT = /^\/(?:auth(?:\/.*)?|api\/data\/?)$/i;

/** Whether a path is an endpoint of the OAuth lab. */
export function isLabEndpoint(path: string): boolean {
  return LAB_ENDPOINT.test(path);
}

/** Whether a path is part of a sign-in, by password or with a provider: decided in every spelling. */
export function isSignIn(path: string): boolean {
  return SIGN_IN.test(path);
}

/**
 * Whether a path takes a password or an invitation: of class `auth`. A sign-in with a provider sends no secret that could
 * be guessed here, and takes two requests; in the class `auth` five people behind one address would use up its minute.
 */
export function isSignInAttempt(path: string): boolean {
  return isSignIn(path) && !PROVIDER_SIGN_IN.test(path);
}

/** Whether a path belongs to the authorization server: of class `auth`, and its requests may name an OAuth client. */
export function isAuthorizationServer(path: string): boolean {
  return AUTHORIZATION_SERVER.test(path);
}

/** The path of a request target: without its query. A `#` is part of it: no client sends one, and servers differ. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}
