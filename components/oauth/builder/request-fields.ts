import type { Session } from '@/components/oauth/builder/session';
import type { BuilderTab } from '@/lib/oauth/builder/builder-request';

/** One parameter of a request, as a person edits it. */
export interface RequestField {
  name: string;
  hint: string;
  /** Offered while typing. */
  choices?: readonly string[];
  /** The button that fills it in: with something generated, or with the newest value of the flow. */
  fill?: { label: string; from: 'random' | 'pkce' | keyof Session['latest'] };
  /** Shown only on demand, unless it has a value. */
  rare?: true;
}

/** Method and path of the three requests. */
export const ENDPOINTS: Readonly<Record<BuilderTab, string>> = {
  authorize: 'POST /auth/authorize',
  token: 'POST /auth/token',
  data: 'GET /api/data',
};

const CLIENTS = ['demo-client', 'demo-confidential', 'demo-native'];
const RANDOM = { label: 'Generate', from: 'random' } as const;
const RESOURCE: RequestField = {
  name: 'resource',
  hint: 'Which service the token is for (RFC 8707). Empty: resource-server.',
  choices: ['resource-server', 'https://another-service.example/'],
};

/** The parameters of each request, in the order in which they are sent. */
export function requestFields(tab: BuilderTab, issuer: string): readonly RequestField[] {
  const redirects = ['https://app.example.com/callback', `${issuer}/oauth/callback`];
  if (tab === 'authorize') {
    return [
      {
        name: 'response_type',
        hint: 'code. Anything else is the implicit or hybrid grant.',
        choices: ['code', 'token', 'code id_token'],
      },
      { name: 'client_id', hint: 'Who asks. demo-client is public.', choices: CLIENTS },
      { name: 'redirect_uri', hint: 'Where the code goes. Registered character by character.', choices: redirects },
      {
        name: 'scope',
        hint: 'profile opens /api/data; offline_access gives a refresh token.',
        choices: ['profile', 'openid profile offline_access'],
      },
      { name: 'state', hint: 'Comes back unchanged, so that the client knows its own request.', fill: RANDOM },
      {
        name: 'code_challenge',
        hint: 'SHA-256 of the verifier, base64url (RFC 7636).',
        fill: { label: 'Generate pair', from: 'pkce' },
      },
      { name: 'code_challenge_method', hint: 'S256. plain protects nothing.', choices: ['S256', 'plain'] },
      RESOURCE,
      { name: 'nonce', hint: 'Comes back in the ID token.', fill: RANDOM, rare: true },
      { name: 'response_mode', hint: 'query, or fragment.', rare: true },
      { name: 'request_uri', hint: 'Of a pushed request (RFC 9126), in place of the rest.', rare: true },
    ];
  }
  if (tab === 'token') {
    return [
      {
        name: 'grant_type',
        hint: 'authorization_code, or refresh_token.',
        choices: ['authorization_code', 'refresh_token', 'password'],
      },
      {
        name: 'code',
        hint: 'From the authorization response. Works once, for 60 seconds.',
        fill: { label: 'Last code', from: 'code' },
      },
      { name: 'redirect_uri', hint: 'The same as in the authorization request.', choices: redirects },
      { name: 'client_id', hint: 'The same as in the authorization request.', choices: CLIENTS },
      {
        name: 'code_verifier',
        hint: 'The text that the challenge was derived from.',
        fill: { label: 'Last verifier', from: 'verifier' },
      },
      {
        name: 'refresh_token',
        hint: 'With grant_type refresh_token.',
        fill: { label: 'Last refresh token', from: 'refreshToken' },
      },
      { name: 'client_secret', hint: 'demo-confidential has demo-secret.', rare: true },
      { name: 'scope', hint: 'Fewer scopes than before, when refreshing.', rare: true },
      { ...RESOURCE, rare: true },
    ];
  }
  return [{ name: 'access_token', hint: 'Sent as Authorization: Bearer.' }];
}

/** What the fields of a tab hold at first. */
export function initialFields(tab: BuilderTab, issuer: string): Record<string, string> {
  const given: Record<string, string> = {
    response_type: 'code',
    grant_type: 'authorization_code',
    client_id: 'demo-client',
    redirect_uri: `${issuer}/oauth/callback`,
    ...(tab === 'authorize' ? { scope: 'openid profile offline_access' } : {}),
  };
  return Object.fromEntries(requestFields(tab, issuer).map(({ name }) => [name, given[name] ?? '']));
}
