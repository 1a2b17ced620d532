import { DEFAULT_SCOPE, findClient, isLoopbackHost, type LabClient } from '@/lib/oauth/lab/clients';
import type { Controls, RefusingControl } from '@/lib/oauth/lab/controls';
import { type Parameters, readResources, valuesOf } from '@/lib/oauth/lab/parameters';
import { Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';

/** What a client asks for at the authorization endpoint, after reading. */
export interface AuthorizationRequest {
  clientId: string;
  /** As it was sent, or the only one registered. */
  redirectUri: string;
  /** A browser may be sent to it. */
  redirectRegistered: boolean;
  /** Whether the request named it, so that the token request has to (RFC 6749 section 4.1.3). */
  redirectSent: boolean;
  responseTypes: readonly string[];
  scope: string;
  state: string | null;
  nonce: string | null;
  challenge: { value: string; method: 'S256' | 'plain' } | null;
  /** RFC 8707; empty means `/api/data`. */
  resources: readonly string[];
  prompt: readonly string[];
}

/** The request as far as it could be read. */
interface AuthorizationReading {
  /** Null when client or address are unknown: then nothing may be sent anywhere (RFC 6749 section 4.1.2.1). */
  request: AuthorizationRequest | null;
  /** Where an error would go if errors went anywhere: what the caller asked for, verified or not. */
  claimedRedirect: { uri: string; registered: boolean } | null;
}

const RESPONSE_TYPES = new Set(['code', 'token', 'id_token']);

/**
 * Reads an authorization request (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2, OpenID Connect Core 3.1.2.1) and notes what is
 * wrong with it: client and redirect URI first.
 */
export function readAuthorizationRequest(
  parameters: Parameters,
  violations: Violations,
  lab: Lab,
): AuthorizationReading {
  const addressing = new Violations(lab.controls);
  const clientId = parameters.get('client_id');
  const client = findClient(lab.origin, clientId);
  const redirectUri = parameters.get('redirect_uri');
  const redirect = client === null ? null : readRedirectUri(redirectUri, client, addressing, lab.controls);
  if (client === null) {
    const description = clientId === undefined ? 'client_id is missing.' : 'No client has this client_id.';
    addressing.note(null, 'invalid_request', description);
  }
  violations.all.push(...addressing.all);
  parameters.check(violations);

  const responseTypes = parameters.list('response_type');
  if (responseTypes.length === 0) violations.note(null, 'invalid_request', 'response_type is missing.');
  else if (responseTypes.join(' ') !== 'code') {
    const isGrant = new Set(responseTypes).size === responseTypes.length && responseTypes.every(isResponseType);
    const control = isGrant ? 'response-type-code' : null;
    violations.note(control, 'unsupported_response_type', 'response_type must be code.');
  }
  const responseMode = parameters.get('response_mode') ?? 'query';
  if (responseMode !== 'query') violations.note(null, 'invalid_request', 'response_mode must be query.');
  if (parameters.get('request') !== undefined) {
    violations.note(null, 'request_not_supported', 'Request objects are not supported.');
  }
  const challenge = readChallenge(parameters, violations);
  const scope = readScope(parameters.get('scope'), client, violations);
  const state = parameters.get('state') ?? null;
  const nonce = parameters.get('nonce') ?? null;
  const nonceProtects = nonce !== null && scope.split(' ').includes('openid');
  if (state === null && challenge === null && !nonceProtects) {
    const description = 'state is missing, and neither PKCE nor a nonce stands in for it.';
    violations.note('require-state', 'invalid_request', description);
  }
  const resources = readResources(parameters, violations);

  const uri = redirect?.uri ?? null;
  const redirectRegistered = redirect?.registered ?? false;
  const claimed = uri ?? (redirectUri !== undefined && URL.canParse(redirectUri) ? redirectUri : null);
  const claimedRedirect = claimed === null ? null : { uri: claimed, registered: redirectRegistered };
  if (client === null || uri === null || addressing.refusing.length > 0) return { request: null, claimedRedirect };
  const request = {
    clientId: client.id,
    redirectUri: uri,
    redirectRegistered,
    redirectSent: redirectUri !== undefined,
    responseTypes,
    scope,
    state,
    nonce,
    challenge,
    resources,
    prompt: parameters.list('prompt'),
  };
  return { request, claimedRedirect };
}

const isResponseType = (type: string): boolean => RESPONSE_TYPES.has(type);

/** RFC 7636 sections 4.2 and 4.3. A challenge without a method means `plain` there. */
function readChallenge(parameters: Parameters, violations: Violations): AuthorizationRequest['challenge'] {
  const value = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (value === undefined) {
    violations.note('require-pkce', 'invalid_request', 'code_challenge is missing: PKCE is required.');
    if (method !== undefined) {
      violations.note(null, 'invalid_request', 'code_challenge_method is sent without a code_challenge.');
    }
    return null;
  }
  if (method !== undefined && method !== 'S256' && method !== 'plain') {
    violations.note(null, 'invalid_request', 'code_challenge_method must be S256.');
    return null;
  }
  if (method !== 'S256') {
    violations.note('pkce-s256', 'invalid_request', 'code_challenge_method must be S256; left out it means plain.');
  }
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(value)) {
    const description = 'code_challenge must be 43 to 128 unreserved characters.';
    violations.note('pkce-challenge-syntax', 'invalid_request', description);
  } else if (method === 'S256' && !/^[A-Za-z0-9_-]{43}$/.test(value)) {
    const description = 'An S256 code_challenge is 43 characters of base64url without padding.';
    violations.note('pkce-challenge-syntax', 'invalid_request', description);
  }
  return { value, method: method ?? 'plain' };
}

/** RFC 6749 section 3.3. */
function readScope(scope: string | undefined, client: LabClient | null, violations: Violations): string {
  if (scope === undefined) return DEFAULT_SCOPE;
  const values = [...new Set(valuesOf(scope))];
  if (values.length === 0 || values.some((value) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value))) {
    violations.note(null, 'invalid_scope', 'scope is malformed.');
  } else if (client !== null && values.some((value) => !client.scopes.includes(value))) {
    violations.note('scope-limits', 'invalid_scope', 'scope asks for more than the client is registered for.');
  }
  return values.join(' ');
}

interface RedirectReading {
  /** The address to answer to; null when no address is known. */
  uri: string | null;
  /** It is the client's own: a browser may be sent there. */
  registered: boolean;
}

/** The registered value is a loopback IP address and the other differs in the port alone (RFC 8252 section 7.3). */
function isLoopbackVariant(registered: string, value: string): boolean {
  const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d{1,5})?(\/[^?#]*)$/;
  const ours = loopback.exec(registered);
  const given = loopback.exec(value);
  return ours !== null && given !== null && ours[1] === given[1] && ours[3] === given[3] && URL.canParse(value);
}

/** The value is what the glob `registered*` takes, where `*` stays within one path segment. */
function isGlobMatch(registered: string, value: string): boolean {
  return value.startsWith(registered) && /^[^/?#]+$/.test(value.slice(registered.length));
}

const withoutScheme = (uri: string): string => uri.replace(/^[a-z][a-z0-9+.-]*:/i, '');

/**
 * Compares a redirect URI with a client's registration: byte for byte (RFC 9700 sections 2.1 and 4.1.3), except for the
 * port of a loopback address. Switching `redirect-uri-wildcard` off reads registered values as globs; switching
 * `redirect-uri-scheme` off compares them without their scheme; switching `strict-redirect-uri` off takes any address.
 */
function readRedirectUri(
  value: string | undefined,
  { redirectUris }: LabClient,
  violations: Violations,
  controls: Controls,
): RedirectReading {
  const refuse = (control: RefusingControl | null, description: string) =>
    violations.note(control, 'invalid_request', description);
  if (value === undefined) {
    const only = redirectUris.length === 1 ? (redirectUris[0] ?? null) : null;
    if (only === null) {
      refuse('redirect-uri-required', 'redirect_uri is required: the client has registered several.');
    }
    return { uri: only, registered: only !== null };
  }
  if (redirectUris.some((registered) => registered === value || isLoopbackVariant(registered, value))) {
    return { uri: value, registered: true };
  }
  if (!URL.canParse(value)) {
    refuse(null, 'redirect_uri is not an absolute URI.');
    return { uri: null, registered: false };
  }
  const url = new URL(value);
  const glob = redirectUris.some((registered) => isGlobMatch(registered, value));
  const otherScheme = redirectUris.some((registered) => withoutScheme(registered) === withoutScheme(value));
  const tolerated = (glob && !controls['redirect-uri-wildcard']) || (otherScheme && !controls['redirect-uri-scheme']);
  if (!tolerated) refuse('strict-redirect-uri', 'redirect_uri is not one that the client has registered.');
  if (glob) refuse('redirect-uri-wildcard', 'redirect_uri continues a registered value.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    refuse('redirect-uri-scheme', 'redirect_uri must use https, or http on a loopback address.');
  }
  if (value.includes('#')) refuse('redirect-uri-fragment', 'redirect_uri must not have a fragment.');
  return { uri: value, registered: false };
}
