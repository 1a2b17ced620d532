const OAUTH = /^\/auth(?:\/|$)/i;
const SIGN_IN_ATTEMPT = /^\/api\/auth\/(?:callback|signin)\/[^/]+$/i;

/** Whether a path belongs to the OAuth lab's authorization server. */
export function isOAuthPath(path: string): boolean {
  return OAUTH.test(path);
}

/** Whether a path takes a password or a provider's answer; the session look-ups that pages make do not. */
export function isSignInAttempt(path: string): boolean {
  return SIGN_IN_ATTEMPT.test(path);
}
