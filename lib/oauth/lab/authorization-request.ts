import { DEFAULT_SCOPE, findClient, isLoopbackHost, type LabClient } from '@/lib/oauth/lab/clients';
import type { Parameters } from '@/lib/oauth/lab/parameters';
import { readResources } from '@/lib/oauth/lab/resources';
import type { Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';

/** A request to the authorization endpoint, after parsing. */
export interface AuthorizationRequest {
  clientId: string;
  /** The redirect URI as it was sent, or the only registered one. */
  redirectUri: string;
  /** True if a browser may be sent to it. */
  redirectRegistered: boolean;
  /** True if the request named it. If so, the token request must name it too (RFC 6749 section 4.1.3). */
  redirectSent: boolean;
  responseTypes: readonly string[];
  /** `form_post` is OAuth 2.0 Form Post Response Mode. */
  responseMode: ResponseMode;
  scope: string;
  state: string | null;
  nonce: string | null;
  challenge: { value: string; method: 'S256' | 'plain' } | null;
  /** Resources (RFC 8707). Empty means `/api/data`. */
  resources: readonly string[];
  prompt: readonly string[];
  /** Maximum age in seconds. Null if any authentication will do (OpenID Connect Core section 3.1.2.1). */
  maxAge: number | null;
  /** Thumbprint of the key that the code is bound to (RFC 9449 section 10), or null. */
  dpopJkt: string | null;
}

/** A request that the user agreed to. */
export interface AuthorizedRequest extends AuthorizationRequest {
  /** Time when the user agreed, and so authenticated, in Unix seconds. */
  authTime: number;
}

export const RESPONSE_MODES = ['query', 'form_post'] as const;
type ResponseMode = (typeof RESPONSE_MODES)[number];
export const PROMPTS = ['none', 'login', 'consent', 'select_account'];

/** Target of an answer. A browser may be sent there if it is registered. */
interface Redirect {
  uri: string;
  registered: boolean;
}

/**
 * Reads an authorization request (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2, OpenID Connect Core 3.1.2.1) and records
 * its violations, beginning with client and redirect URI.
 * @returns `request` is null if client or address are not registered, because nothing may be sent anywhere then (RFC
 * 6749 4.1.2.1); the redirect is the target that the caller named, verified or not
 */
export function readAuthorizationRequest(
  parameters: Parameters,
  violations: Violations,
  lab: Lab,
): { request: AuthorizationRequest | null; claimedRedirect: Redirect | null } {
  const before = violations.refusing.length;
  const clientId = parameters.get('client_id');
  const client = findClient(lab.origin, clientId);
  const redirectUri = parameters.get('redirect_uri');
  const redirect = client === null ? null : readRedirectUri(redirectUri, client, violations);
  if (client === null) {
    violations.note(null, clientId === undefined ? 'client_id is missing.' : 'No client has this client_id.');
  }
  const isAddressed = violations.refusing.length === before;
  parameters.check(violations);

  const responseTypes = parameters.list('response_type');
  if (responseTypes.length === 0) violations.note(null, 'response_type is missing.');
  else if (responseTypes.join(' ') !== 'code') {
    const isGrant =
      new Set(responseTypes).size === responseTypes.length &&
      responseTypes.every((type) => ['code', 'token', 'id_token'].includes(type));
    const control = isGrant ? 'response-type-code' : null;
    violations.note(control, 'response_type must be code.', 'unsupported_response_type');
  }
  const sentMode = parameters.get('response_mode') ?? 'query';
  const responseMode = RESPONSE_MODES.find((mode) => mode === sentMode);
  if (responseMode === undefined) violations.note(null, 'response_mode must be query or form_post.');
  const challenge = readChallenge(parameters, violations);
  const scope = readScope(parameters, client, violations);
  const state = parameters.get('state') ?? null;
  const nonce = parameters.get('nonce') ?? null;
  const nonceProtects = nonce !== null && scope.split(' ').includes('openid');
  if (state === null && challenge === null && !nonceProtects) {
    violations.note('require-state', 'state is missing, and neither PKCE nor a nonce stands in for it.');
  }
  const resources = readResources(parameters, violations, lab.origin);

  const isUri = redirectUri !== undefined && URL.canParse(redirectUri);
  const claimedRedirect = redirect ?? (isUri ? { uri: redirectUri, registered: false } : null);
  if (client === null || redirect === null || !isAddressed) return { request: null, claimedRedirect };
  const request = {
    clientId: client.id,
    redirectUri: redirect.uri,
    redirectRegistered: redirect.registered,
    redirectSent: redirectUri !== undefined,
    responseTypes,
    responseMode: responseMode ?? 'query',
    scope,
    state,
    nonce,
    challenge,
    resources,
    prompt: readPrompt(parameters, violations),
    maxAge: readMaxAge(parameters, violations),
    dpopJkt: parameters.get('dpop_jkt') ?? null,
  };
  return { request, claimedRedirect };
}

/** Reads `prompt` (OpenID Connect Core section 3.1.2.1). */
function readPrompt(parameters: Parameters, violations: Violations): readonly string[] {
  const values = parameters.list('prompt');
  if (values.some((value) => !PROMPTS.includes(value))) violations.note(null, 'prompt has an unknown value.');
  if (values.includes('none') && values.length > 1) violations.note(null, 'prompt must be none alone.');
  return values;
}

function readMaxAge(parameters: Parameters, violations: Violations): number | null {
  const value = parameters.get('max_age');
  if (value === undefined) return null;
  if (!/^\d{1,9}$/.test(value)) violations.note(null, 'max_age must be a number of seconds.');
  return Number(value);
}

/** Reads the PKCE challenge (RFC 7636 sections 4.2 and 4.3). Without a method it means `plain`. */
function readChallenge(parameters: Parameters, violations: Violations): AuthorizationRequest['challenge'] {
  const value = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (value === undefined) {
    violations.note('require-pkce', 'code_challenge is missing: PKCE is required.');
    if (method !== undefined) {
      violations.note(null, 'code_challenge_method is sent without a code_challenge.');
    }
    return null;
  }
  if (method !== undefined && method !== 'S256' && method !== 'plain') {
    violations.note(null, 'code_challenge_method must be S256.');
    return null;
  }
  if (method !== 'S256') {
    violations.note('pkce-s256', 'code_challenge_method must be S256; left out it means plain.');
  }
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(value)) {
    violations.note('pkce-challenge-syntax', 'code_challenge must be 43 to 128 unreserved characters.');
  } else if (method === 'S256' && !/^[A-Za-z0-9_-]{43}$/.test(value)) {
    violations.note('pkce-challenge-syntax', 'An S256 code_challenge is 43 characters of base64url without padding.');
  }
  return { value, method: method ?? 'plain' };
}

/** Reads the scope (RFC 6749 section 3.3). */
export function readScope(parameters: Parameters, client: LabClient | null, violations: Violations): string {
  if (parameters.get('scope') === undefined) return DEFAULT_SCOPE;
  const values = [...new Set(parameters.list('scope'))];
  if (values.length === 0 || values.some((value) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value))) {
    violations.note(null, 'scope is malformed.', 'invalid_scope');
  } else if (client !== null && values.some((value) => !client.scopes.includes(value))) {
    violations.note('scope-limits', 'scope asks for more than the client is registered for.', 'invalid_scope');
  }
  return values.join(' ');
}

/**
 * Returns whether the registered value is a loopback IP address, and the other differs only in the port (RFC 8252
 * section 7.3).
 */
function isLoopbackVariant(registered: string, value: string): boolean {
  const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d{1,5})?(\/[^?#]*)$/;
  const ours = loopback.exec(registered);
  const sent = loopback.exec(value);
  return ours !== null && sent !== null && ours[1] === sent[1] && ours[3] === sent[3] && URL.canParse(value);
}

/** Returns whether the value matches the glob `registered*`, `*` matches within one path segment. */
function isGlobMatch(registered: string, value: string): boolean {
  return value.startsWith(registered) && /^[^/?#]+$/.test(value.slice(registered.length));
}

const removeScheme = (uri: string): string => uri.replace(/^[a-z][a-z0-9+.-]*:/i, '');

/**
 * Compares a redirect URI with a client's registration: byte for byte (RFC 9700 sections 2.1 and 4.1.3), except for the
 * port of a loopback address.
 *
 * - Without `redirect-uri-wildcard`, registered values are globs.
 * - Without `redirect-uri-scheme`, the scheme is not compared.
 * - Without `strict-redirect-uri`, any address is accepted.
 */
function readRedirectUri(
  value: string | undefined,
  { redirectUris }: LabClient,
  violations: Violations,
): Redirect | null {
  if (value === undefined) {
    const [only, ...more] = redirectUris;
    if (only !== undefined && more.length === 0) return { uri: only, registered: true };
    violations.note('redirect-uri-required', 'redirect_uri is required: the client has registered several.');
    return null;
  }
  if (redirectUris.some((registered) => registered === value || isLoopbackVariant(registered, value))) {
    return { uri: value, registered: true };
  }
  if (!URL.canParse(value)) {
    violations.note(null, 'redirect_uri is not an absolute URI.');
    return null;
  }
  const url = new URL(value);
  const glob = redirectUris.some((registered) => isGlobMatch(registered, value));
  const otherScheme = redirectUris.some((registered) => removeScheme(registered) === removeScheme(value));
  const { controls } = violations;
  const tolerated = (glob && !controls['redirect-uri-wildcard']) || (otherScheme && !controls['redirect-uri-scheme']);
  if (!tolerated) violations.note('strict-redirect-uri', 'redirect_uri is not one that the client has registered.');
  if (glob) violations.note('redirect-uri-wildcard', 'redirect_uri continues a registered value.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    violations.note('redirect-uri-scheme', 'redirect_uri must use https, or http on a loopback address.');
  }
  if (value.includes('#')) violations.note('redirect-uri-fragment', 'redirect_uri must not have a fragment.');
  return { uri: value, registered: false };
}
