import { LAB_PATHS } from '@/lib/contract/lab-paths';
import type { PlannedRequest } from '@/lib/oauth/client/plan-request';
import { type Controls, enableControlsExcept, isControlSwitch, listDisabledControls } from '@/lib/oauth/lab/controls';
import { CONTROLS_HEADER, writeControlsHeader } from '@/lib/oauth/lab/controls-header';

/** Tabs of the builder. Each builds one request. */
export const BUILDER_TABS = ['authorize', 'token', 'data'] as const;
export type BuilderTab = (typeof BUILDER_TABS)[number];

/** State of the builder form. */
export interface BuilderRequest {
  tab: BuilderTab;
  /** Parameters in order. Empty ones are not sent. `access_token` of the data tab is sent in a header. */
  fields: Readonly<Record<string, string>>;
  controls: Controls;
  encoding?: 'form' | 'json';
}

/** Requests of the tabs, with the steps of the OAuth client that they are. */
export const LAB_REQUESTS = {
  authorize: { step: 'authorize', method: 'POST', path: LAB_PATHS.authorize },
  token: { step: 'token', method: 'POST', path: LAB_PATHS.token },
  data: { step: 'resource', method: 'GET', path: LAB_PATHS.data },
} as const;

/** Names the endpoint of a tab: `POST /auth/token`. */
export const nameEndpoint = (tab: BuilderTab): string => `${LAB_REQUESTS[tab].method} ${LAB_REQUESTS[tab].path}`;

/** Plans the request of a tab to the lab at `origin`. The body is sent exactly as planned. */
export function planLabRequest({ tab, fields, controls, encoding }: BuilderRequest, origin: string): PlannedRequest {
  const { step, method, path } = LAB_REQUESTS[tab];
  const sent = Object.entries(fields).filter(([, value]) => value !== '');
  const token = fields.access_token ?? '';
  const weakened = writeControlsHeader(controls);
  const [contentType, body] =
    encoding === 'json'
      ? ['application/json', JSON.stringify(Object.fromEntries(sent), null, 2)]
      : ['application/x-www-form-urlencoded', new URLSearchParams(sent).toString()];
  return {
    ...{ step, method, url: origin + path, parameters: [], proof: false },
    headers: [
      ...(method === 'GET' ? [] : [['Content-Type', contentType] as const]),
      ...(weakened === null ? [] : [[CONTROLS_HEADER, weakened] as const]),
    ],
    body: method === 'GET' ? null : body,
    credentials: method === 'GET' && token !== '' ? { kind: 'token', scheme: 'Bearer', token } : { kind: 'none' },
  };
}

/** Names of secrets and of values that tie a flow to a browser. Links never contain them. */
const SECRET =
  /^(?:code(?:_verifier)?|client_(?:secret|assertion)|(?:\w+_)?token(?:_hint)?|password|request_uri|state|nonce)$/;
/** Parameters that are generated when the link is opened, unless the link omits them on purpose. */
export const FRESH = ['state', 'code_challenge'] as const;
/** Matches output of `generateRandomText` and S256: 256 bits as base64url. */
const GENERATED = /^[\w-]{43}$/;
const NAME = /^[a-z][a-z0-9_]{0,39}$/;
const LONGEST = 2_048;
const PREFIX = 'p.';
const isShared = (name: string, value: string) => NAME.test(name) && !SECRET.test(name) && value.length <= LONGEST;
const isOwn = (name: string, value: string) =>
  isShared(name, value) && !(name === 'code_challenge' && GENERATED.test(value));

/** Builds the query of a link that opens the builder with this request. It contains no secrets. */
export function formatShareQuery(request: BuilderRequest): URLSearchParams {
  const query = new URLSearchParams({ tab: request.tab });
  const off = listDisabledControls(request.controls);
  if (off.length > 0) query.set('off', off.join(' '));
  if (request.encoding === 'json') query.set('encoding', 'json');
  for (const [name, value] of Object.entries(request.fields)) {
    if (value !== '' && isOwn(name, value)) query.set(PREFIX + name, value);
  }
  const omitted = request.tab === 'authorize' ? FRESH.filter((name) => !request.fields[name]) : [];
  if (omitted.length > 0) query.set('omit', omitted.join(' '));
  return query;
}

/** Returns the parameters of the authorization request that a link omits on purpose. */
export function listOmittedParameters(query: URLSearchParams): readonly string[] {
  const named = (query.get('omit') ?? '').split(' ');
  return FRESH.filter((name) => named.includes(name));
}

/** Returns whether a query parameter belongs to a builder link. */
export const isLinkParameter = (name: string): boolean =>
  ['tab', 'off', 'encoding', 'omit'].includes(name) || name.startsWith(PREFIX);

/** Reads a builder link. Links are untrusted: unknown values and secrets are ignored. */
export function parseShareQuery(query: URLSearchParams): BuilderRequest {
  const tab = BUILDER_TABS.find((name) => name === query.get('tab')) ?? 'authorize';
  const off = (query.get('off') ?? '').split(' ').filter(isControlSwitch);
  const fields = [...query]
    .filter(([name]) => name.startsWith(PREFIX))
    .map(([name, value]) => [name.slice(PREFIX.length), value] as const)
    .filter(([name, value]) => isShared(name, value))
    .slice(0, 40);
  return {
    tab,
    fields: Object.fromEntries(fields),
    controls: enableControlsExcept(...off),
    encoding: query.get('encoding') === 'json' ? 'json' : 'form',
  };
}

/** The four warnings of the builder (specification, section 1), each with the field it is shown at. */
const WARNINGS = [
  {
    id: 'strict-redirect-uri',
    field: 'redirect_uri',
    text: 'Strict redirect-URI validation is OFF: any URI may be accepted.',
    holds: ({ controls }: BuilderRequest) => !controls['strict-redirect-uri'],
  },
  {
    id: 'require-state',
    field: 'state',
    text: 'No state parameter is sent: the flow is open to CSRF.',
    holds: ({ tab, fields }: BuilderRequest) => tab === 'authorize' && !fields.state,
  },
  {
    id: 'require-pkce',
    field: 'code_challenge',
    text: 'PKCE is required: the authorization request will fail without code_challenge.',
    holds: ({ tab, fields, controls }: BuilderRequest) =>
      tab === 'authorize' && controls['require-pkce'] && !fields.code_challenge,
  },
  {
    id: 'validate-audience',
    field: 'audience',
    text: 'Audience validation is OFF: a token for another service is accepted.',
    holds: ({ controls }: BuilderRequest) => !controls['validate-audience'],
  },
] as const;

/** Returns the warnings that apply to a request. */
export function listRequestWarnings(request: BuilderRequest) {
  return WARNINGS.filter(({ holds }) => holds(request)).map(({ holds: _, ...warning }) => warning);
}
