import { clientEndpoint } from '@/lib/oauth/lab/authenticate-client';
import { DEFAULT_SCOPE, findClient, isLoopbackHost, type LabClient } from '@/lib/oauth/lab/clients';
import { readProof } from '@/lib/oauth/lab/dpop-proof';
import { Parameters, readResources } from '@/lib/oauth/lab/parameters';
import { answerJson, refuse, type Violation, type Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';
import { handOut, readTicket } from '@/lib/oauth/lab/tickets';

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
  /** RFC 9449 section 10: the thumbprint of the key that the code is bound to, or null. */
  dpopJkt: string | null;
}

/** Where an answer goes. A browser may be sent there if it is registered. */
interface Redirect {
  uri: string;
  registered: boolean;
}

/**
 * Reads an authorization request (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2, OpenID Connect Core 3.1.2.1) and notes what is
 * wrong with it: client and redirect URI first.
 * @returns `request`, null when client or address are unknown: then nothing may be sent anywhere (RFC 6749 4.1.2.1);
 * and where an error would go if errors went anywhere: what the caller asked for, verified or not
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
  const responseMode = parameters.get('response_mode') ?? 'query';
  if (responseMode !== 'query') violations.note(null, 'response_mode must be query.');
  if (parameters.get('request') !== undefined) {
    violations.note(null, 'Request objects are not supported.', 'request_not_supported');
  }
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
    scope,
    state,
    nonce,
    challenge,
    resources,
    prompt: parameters.list('prompt'),
    dpopJkt: parameters.get('dpop_jkt') ?? null,
  };
  return { request, claimedRedirect };
}

/** RFC 7636 sections 4.2 and 4.3. A challenge without a method means `plain` there. */
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

/** RFC 6749 section 3.3. */
function readScope(parameters: Parameters, client: LabClient | null, violations: Violations): string {
  if (parameters.get('scope') === undefined) return DEFAULT_SCOPE;
  const values = [...new Set(parameters.list('scope'))];
  if (values.length === 0 || values.some((value) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value))) {
    violations.note(null, 'scope is malformed.', 'invalid_scope');
  } else if (client !== null && values.some((value) => !client.scopes.includes(value))) {
    violations.note('scope-limits', 'scope asks for more than the client is registered for.', 'invalid_scope');
  }
  return values.join(' ');
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
  const otherScheme = redirectUris.some((registered) => withoutScheme(registered) === withoutScheme(value));
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

/** Life of a pushed request in seconds (RFC 9126 section 2.2). */
const PUSHED_REQUEST_LIFETIME = 90;
/** Credentials are not part of the request that is kept. */
const NOT_KEPT = new Set(['client_id', 'client_secret', 'client_assertion', 'client_assertion_type']);

/** `POST /auth/par`: pushed authorization requests (RFC 9126). */
export const pushRequest = clientEndpoint(async ({ request, parameters: sent, client, violations }, lab) => {
  const kept = sent.entries.filter(([name]) => !NOT_KEPT.has(name));
  const parameters = new Parameters([...kept, ['client_id', client?.id ?? '']]);
  if (parameters.get('request_uri') !== undefined) {
    violations.note(null, 'request_uri must not be pushed.');
  }
  const proof = await readProof(request, violations, lab);
  const named = parameters.get('dpop_jkt');
  if (proof !== null && named !== undefined && named !== proof) {
    violations.note('dpop-code-binding', 'dpop_jkt names another key than the DPoP proof.');
  }
  readAuthorizationRequest(parameters, violations, lab);
  if (violations.refusing.length > 0) return refuse(violations.refusing);
  const bound: [string, string][] = proof === null || named !== undefined ? [] : [['dpop_jkt', proof]];
  const uri = await handOut(lab, 'par', [...parameters.entries, ...bound], PUSHED_REQUEST_LIFETIME);
  return answerJson(201, { request_uri: uri, expires_in: PUSHED_REQUEST_LIFETIME });
});

/**
 * Replaces a `request_uri` by what was pushed (RFC 9126 section 4): it works once, for its client, and parameters beside
 * it are ignored. With the control `par` off it works again and again, and parameters beside it win.
 */
export async function takePushedRequest(given: Parameters, violations: Violations, lab: Lab): Promise<Parameters> {
  const uri = given.get('request_uri');
  if (uri === undefined) return given;
  const refuseWith = (control: Violation['control'], description: string) => {
    violations.note(control, description, 'invalid_request_uri');
    return given;
  };
  const ticket = await readTicket(lab, 'par', uri);
  if (ticket === null) return refuseWith(null, 'request_uri is unknown or expired.');
  const entries: [string, string][] = JSON.parse(ticket.payload);
  const pushed = new Parameters(entries);
  if (pushed.get('client_id') !== given.get('client_id')) {
    return refuseWith(null, 'request_uri belongs to another client.');
  }
  const first = await lab.state.claim('par', ticket.hash, lab.now(), null);
  if (!first) refuseWith('par', 'request_uri was used before.');
  if (lab.controls.par) return first ? pushed : given;
  const beside = given.entries.filter(([name]) => name !== 'request_uri');
  return new Parameters([...beside, ...entries.filter(([name]) => given.get(name) === undefined)]);
}
