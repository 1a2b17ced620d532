import { DEFAULT_SCOPE, findClient, type LabClient } from '@/lib/oauth/lab/clients';
import type { Controls, RefusingControl } from '@/lib/oauth/lab/controls';
import type { Parameters } from '@/lib/oauth/lab/parameters';
import { readRedirectUri } from '@/lib/oauth/lab/redirect-uri';
import { readResources } from '@/lib/oauth/lab/resources';
import type { LabServices } from '@/lib/oauth/lab/services';
import { applyControls, type OAuthErrorCode, type SortedViolations, type Violation } from '@/lib/oauth/lab/violation';

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

/** The request as far as it could be read, and its faults. */
export interface AuthorizationReading {
  /** Null when the client or the address to answer to is unknown: then nothing may be sent anywhere. */
  request: AuthorizationRequest | null;
  /** Where an error would go if errors went anywhere: what the caller asked for, verified or not. */
  claimedRedirect: { uri: string; registered: boolean } | null;
  /** Violations of client and redirect URI: errors that must not be redirected (RFC 6749 section 4.1.2.1). */
  addressing: SortedViolations;
  /** All the others. */
  rest: SortedViolations;
}

const RESPONSE_TYPES = new Set(['code', 'token', 'id_token']);

/** Reads and checks an authorization request (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2, OpenID Connect Core 3.1.2.1). */
export function readAuthorizationRequest(
  parameters: Parameters,
  controls: Controls,
  lab: LabServices,
): AuthorizationReading {
  const addressing: Violation[] = [];
  const rest: Violation[] = [...parameters.violations()];
  const note = (control: RefusingControl | null, error: OAuthErrorCode, description: string) =>
    rest.push({ control, error, description });

  const clientId = parameters.get('client_id');
  const client = findClient(lab.origin, clientId);
  const redirectSent = parameters.get('redirect_uri');
  const redirect = client === null ? null : readRedirectUri(redirectSent, client, controls);
  if (client === null) {
    const description = clientId === undefined ? 'client_id is missing.' : 'No client has this client_id.';
    addressing.push({ control: null, error: 'invalid_request', description });
  }
  addressing.push(...(redirect?.violations ?? []));

  const responseTypes = (parameters.get('response_type') ?? '').split(' ').filter((type) => type !== '');
  if (responseTypes.length === 0) note(null, 'invalid_request', 'response_type is missing.');
  else if (
    responseTypes.some((type) => !RESPONSE_TYPES.has(type)) ||
    new Set(responseTypes).size < responseTypes.length
  ) {
    note(null, 'unsupported_response_type', 'response_type must be code.');
  } else if (responseTypes.length > 1 || responseTypes[0] !== 'code') {
    note('response-type-code', 'unsupported_response_type', 'response_type must be code.');
  }
  const responseMode = parameters.get('response_mode');
  if (responseMode !== undefined && responseMode !== 'query')
    note(null, 'invalid_request', 'response_mode must be query.');
  if (parameters.get('request') !== undefined)
    note(null, 'request_not_supported', 'Request objects are not supported.');

  const challenge = readChallenge(parameters, rest);
  const scope = readScope(parameters, client, rest);
  const state = parameters.get('state') ?? null;
  const nonce = parameters.get('nonce') ?? null;
  const nonceProtects = nonce !== null && scope.split(' ').includes('openid');
  if (state === null && challenge === null && !nonceProtects) {
    note('require-state', 'invalid_request', 'state is missing, and neither PKCE nor a nonce stands in for it.');
  }
  const resources = readResources(parameters, rest);

  const verdict = applyControls(addressing, controls);
  const uri = redirect?.uri ?? null;
  const asked = redirectSent !== undefined && URL.canParse(redirectSent) ? redirectSent : null;
  const claimed = uri ?? asked;
  return {
    request:
      client === null || uri === null || verdict.refusing.length > 0
        ? null
        : {
            clientId: client.id,
            redirectUri: uri,
            redirectRegistered: redirect?.registered ?? false,
            redirectSent: redirectSent !== undefined,
            responseTypes,
            scope,
            state,
            nonce,
            challenge,
            resources,
            prompt: (parameters.get('prompt') ?? '').split(' ').filter((value) => value !== ''),
          },
    claimedRedirect: claimed === null ? null : { uri: claimed, registered: redirect?.registered ?? false },
    addressing: verdict,
    rest: applyControls(rest, controls),
  };
}

/** RFC 7636 sections 4.2 and 4.3. A challenge without a method means `plain` there. */
function readChallenge(parameters: Parameters, violations: Violation[]): AuthorizationRequest['challenge'] {
  const note = (control: RefusingControl | null, description: string) =>
    violations.push({ control, error: 'invalid_request', description });
  const value = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (value === undefined) {
    note('require-pkce', 'code_challenge is missing: PKCE is required.');
    if (method !== undefined) note(null, 'code_challenge_method is sent without a code_challenge.');
    return null;
  }
  if (method !== undefined && method !== 'S256' && method !== 'plain') {
    note(null, 'code_challenge_method must be S256.');
    return null;
  }
  if (method !== 'S256') note('pkce-s256', 'code_challenge_method must be S256; left out it means plain.');
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(value)) {
    note('pkce-challenge-syntax', 'code_challenge must be 43 to 128 unreserved characters.');
  } else if (method === 'S256' && !/^[A-Za-z0-9_-]{43}$/.test(value)) {
    note('pkce-challenge-syntax', 'An S256 code_challenge is 43 characters of base64url without padding.');
  }
  return { value, method: method ?? 'plain' };
}

/** RFC 6749 section 3.3. */
function readScope(parameters: Parameters, client: LabClient | null, violations: Violation[]): string {
  const scope = parameters.get('scope');
  if (scope === undefined) return DEFAULT_SCOPE;
  const values = [...new Set(scope.split(' ').filter((value) => value !== ''))];
  if (values.length === 0 || values.some((value) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value))) {
    violations.push({ control: null, error: 'invalid_scope', description: 'scope is malformed.' });
  } else if (client !== null && values.some((value) => !client.scopes.includes(value))) {
    const description = 'scope asks for more than the client is registered for.';
    violations.push({ control: 'scope-limits', error: 'invalid_scope', description });
  }
  return values.join(' ');
}
