import type { ClientStep } from '@/lib/oauth/client/client-step';
import { CLIENT_STEPS } from '@/lib/oauth/client/client-step';
import type { ClientEnvironment } from '@/lib/oauth/client/environment';
import { findEndpoint, type ServerMetadata } from '@/lib/oauth/client/server-metadata';

/** Values that a client keeps between its requests. Empty texts are not set yet. */
export interface ClientFlow {
  state: string;
  nonce: string;
  codeVerifier: string;
  codeChallenge: string;
  requestUri: string;
  code: string;
  accessToken: string;
  tokenType: 'Bearer' | 'DPoP';
  refreshToken: string;
  idToken: string;
}

export const EMPTY_FLOW: ClientFlow = {
  state: '',
  nonce: '',
  codeVerifier: '',
  codeChallenge: '',
  requestUri: '',
  code: '',
  accessToken: '',
  tokenType: 'Bearer',
  refreshToken: '',
  idToken: '',
};

/** Changes that a person made to a request: parameters by name (null omits one), and how a resource is called. */
export interface RequestEdits {
  parameters: Readonly<Record<string, string | null>>;
  /** Method for a resource. GET by default. */
  method?: 'GET' | 'POST';
  /** JSON body for a resource, sent with POST. */
  body?: string;
  /** Token that introspection and revocation refer to. */
  about?: 'access_token' | 'refresh_token';
}

export const NO_EDITS: RequestEdits = { parameters: {} };

type Credentials =
  | { kind: 'none' }
  | { kind: 'basic'; id: string; secret: string }
  /** The parameter `client_assertion`, signed when the request is sent (RFC 7523). */
  | { kind: 'assertion' }
  | { kind: 'token'; scheme: ClientFlow['tokenType']; token: string };

/** A request before signing. Code is generated from it. */
export interface PlannedRequest {
  step: ClientStep;
  method: 'GET' | 'POST';
  /** Empty if the endpoint is unknown. */
  url: string;
  /** Parameters in order. They are sent in the query with GET, in the form with POST. */
  parameters: readonly (readonly [string, string])[];
  headers: readonly (readonly [string, string])[];
  /** A body that is not a form. */
  body: string | null;
  credentials: Credentials;
  /** True if a DPoP proof is signed when the request is sent (RFC 9449). */
  proof: boolean;
}

interface PlanInput {
  environment: ClientEnvironment;
  metadata: ServerMetadata | null;
  flow: ClientFlow;
  /** Thumbprint of the DPoP key. */
  thumbprint: string;
  edits: RequestEdits;
}

/** Plans the request of a step from the state of the flow and a person's edits. It signs and sends nothing. */
export function planRequest(step: ClientStep, input: PlanInput): PlannedRequest {
  const { environment, metadata, flow, edits } = input;
  const { endpoint } = CLIENT_STEPS[step];
  const method = step === 'resource' ? (edits.method ?? 'GET') : METHODS[step];
  const withToken = step === 'userinfo' || step === 'resource';
  const credentials: Credentials = withToken
    ? { kind: 'token', scheme: flow.tokenType, token: flow.accessToken }
    : step === 'authorize'
      ? { kind: 'none' }
      : chooseClientCredentials(environment);
  const body = step === 'resource' && method === 'POST' ? (edits.body ?? '') : null;
  return {
    step,
    method,
    url: endpoint === null ? environment.resource_url : findEndpoint(endpoint, environment, metadata),
    parameters: applyEdits(planParameters(step, input), edits.parameters),
    headers: [
      ...(step === 'authorize' ? [] : [['Accept', 'application/json'] as const]),
      ...(body === null ? [] : [['Content-Type', 'application/json'] as const]),
    ],
    body,
    credentials,
    proof: withToken ? flow.tokenType === 'DPoP' : environment.dpop && TOKEN_STEPS.has(step),
  };
}

/** Returns whether a browser opens the request as a page. The lab also takes authorization requests from programs. */
export function isPageRequest({ step, method }: PlannedRequest): boolean {
  return step === 'authorize' && method === 'GET';
}

const METHODS = {
  par: 'POST',
  authorize: 'GET',
  token: 'POST',
  refresh: 'POST',
  userinfo: 'GET',
  introspect: 'POST',
  revoke: 'POST',
  client_credentials: 'POST',
} as const satisfies Record<Exclude<ClientStep, 'resource'>, 'GET' | 'POST'>;

/** Steps whose answers contain tokens. DPoP binds those tokens to its key. */
export const TOKEN_STEPS: ReadonlySet<ClientStep> = new Set(['token', 'refresh', 'client_credentials']);

function chooseClientCredentials({ authentication, client_id, secret }: ClientEnvironment): Credentials {
  if (authentication === 'basic') return { kind: 'basic', id: client_id, secret };
  return { kind: authentication === 'private_key_jwt' ? 'assertion' : 'none' };
}

type Parameters = Readonly<Record<string, string>>;

function planParameters(step: ClientStep, input: PlanInput): Parameters {
  const { environment, flow, edits } = input;
  const { client_id, redirect_uri, resource, scope } = environment;
  const client = buildClientParameters(environment);
  switch (step) {
    case 'par':
      return { ...buildAuthorizationParameters(input), ...client };
    case 'authorize':
      return environment.par ? { client_id, request_uri: flow.requestUri } : buildAuthorizationParameters(input);
    case 'token': {
      const { code } = flow;
      const code_verifier = environment.pkce ? flow.codeVerifier : '';
      return { grant_type: 'authorization_code', code, redirect_uri, code_verifier, resource, ...client };
    }
    case 'refresh':
      return { grant_type: 'refresh_token', refresh_token: flow.refreshToken, resource, ...client };
    case 'client_credentials':
      return { grant_type: 'client_credentials', scope: removeUserScopes(scope), resource, ...client };
    case 'introspect':
    case 'revoke': {
      const about = edits.about ?? (step === 'revoke' && flow.refreshToken !== '' ? 'refresh_token' : 'access_token');
      const token = about === 'access_token' ? flow.accessToken : flow.refreshToken;
      return { token, token_type_hint: about, ...client };
    }
    case 'userinfo':
    case 'resource':
      return {};
  }
}

/**
 * Builds the parameters of RFC 6749 section 4.1.1 with PKCE (RFC 7636). Adds `dpop_jkt` if tokens will be key-bound
 * (RFC 9449 section 10).
 */
function buildAuthorizationParameters({ environment, flow, thumbprint }: PlanInput): Parameters {
  return {
    response_type: 'code',
    client_id: environment.client_id,
    redirect_uri: environment.redirect_uri,
    scope: environment.scope,
    state: flow.state,
    nonce: hasOpenidScope(environment.scope) ? flow.nonce : '',
    ...(environment.pkce && flow.codeChallenge !== ''
      ? { code_challenge: flow.codeChallenge, code_challenge_method: 'S256' }
      : {}),
    resource: environment.resource,
    dpop_jkt: environment.dpop ? thumbprint : '',
    ...environment.parameters,
  };
}

/** Builds the form parameters that authenticate a client (RFC 6749 section 2.3, RFC 7523 section 2.2). */
function buildClientParameters({ authentication, client_id, secret }: ClientEnvironment): Parameters {
  if (authentication === 'basic') return {};
  if (authentication === 'post') return { client_id, client_secret: secret };
  if (authentication === 'none') return { client_id };
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return { client_id, client_assertion_type, [ASSERTION_PARAMETER]: SIGNED_LATER };
}

export const ASSERTION_PARAMETER = 'client_assertion';
/** Placeholder for a signature that is made when the request is sent. */
export const SIGNED_LATER = 'SIGNED-WHEN-SENT';

/** Returns whether a scope requests OpenID Connect. */
export const hasOpenidScope = (scope: string): boolean => scope.split(' ').includes('openid');

/** Removes scopes about a user, which have no meaning if no user is involved. */
function removeUserScopes(scope: string): string {
  const person = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];
  return scope
    .split(' ')
    .filter((name) => !person.includes(name))
    .join(' ');
}

/** Applies the edits, and drops empty parameters unless a person entered them. */
function applyEdits(parameters: Parameters, edits: RequestEdits['parameters']): [string, string][] {
  const filled = Object.entries(parameters).filter(([, value]) => value !== '');
  const all = Object.entries({ ...Object.fromEntries(filled), ...edits });
  return all.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]]));
}
