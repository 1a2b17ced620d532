import { formatDuration } from '@/components/format/duration';
import { CALLBACK_PATH } from '@/lib/contract/callback';
import { OTHER_SERVICE, RESOURCE_AUDIENCE } from '@/lib/contract/lab-paths';
import type { BuilderTab } from '@/lib/oauth/builder/builder-request';
import type { LabDescription } from '@/lib/oauth/describe-lab';
import type { Controls } from '@/lib/oauth/lab/controls';

export interface RequestField {
  name: string;
  hint: string;
  /** Values offered during typing. */
  choices?: readonly string[];
  /** Fill-in button: its label, and the source of the value, which is generated, the newest of the flow, or fixed. */
  fill?: readonly [label: string, from: 'random' | 'pkce' | 'code' | 'codeVerifier' | 'refreshToken' | 'otherService'];
  /** Hidden until requested, unless it has a value. */
  rare?: true;
}

/** Data that the hints quote: the lab with its current switches. */
type Quoted = Pick<LabDescription, 'issuer' | 'lifetimes'> & { controls: Controls };

export const STEP_NAMES: Readonly<Record<BuilderTab, string>> = {
  authorize: 'Authorize',
  token: 'Token',
  data: 'Data',
};

/** Lists the parameters of each request, in the order in which they are shown. */
export function buildRequestFields(tab: BuilderTab, quoted: Quoted): readonly RequestField[] {
  const { issuer } = quoted;
  const buildField = (name: string, hint: string, more?: Partial<RequestField>): RequestField => ({
    name,
    hint,
    ...more,
  });
  const generated = ['Generate', 'random'] as const;
  const clients = ['demo-client', 'demo-confidential', 'demo-native'];
  const redirects = ['https://app.example.com/callback', issuer + CALLBACK_PATH];
  const resource = buildField('resource', 'Which service the token is for (RFC 8707). Empty: resource-server.', {
    choices: [RESOURCE_AUDIENCE, OTHER_SERVICE],
    fill: ['Another service', 'otherService'],
  });
  return {
    authorize: [
      buildField('response_type', 'code. Anything else is the implicit or hybrid grant.', {
        choices: ['code', 'token', 'code id_token'],
      }),
      buildField('client_id', 'The client. demo-client is public.', { choices: clients }),
      buildField('redirect_uri', 'Where the code goes. Registered character by character.', { choices: redirects }),
      buildField('scope', 'profile opens /api/data; offline_access gives a refresh token.', {
        choices: ['profile', 'openid profile offline_access'],
      }),
      buildField('state', 'Comes back unchanged, so that the client knows its own request.', { fill: generated }),
      buildField('code_challenge', 'SHA-256 of the verifier, base64url (RFC 7636).', {
        fill: ['Generate pair', 'pkce'],
      }),
      buildField('code_challenge_method', 'S256. plain protects nothing.', { choices: ['S256', 'plain'] }),
      resource,
      buildField('nonce', 'Comes back in the ID token.', { fill: generated, rare: true }),
      buildField('response_mode', 'query, or fragment.', { rare: true }),
      buildField('request_uri', 'From a pushed request (RFC 9126), instead of the other parameters.', { rare: true }),
    ],
    token: [
      buildField('grant_type', 'authorization_code, or refresh_token.', {
        choices: ['authorization_code', 'refresh_token', 'password'],
      }),
      buildField('code', describeCode(quoted), { fill: ['Last code', 'code'] }),
      buildField('redirect_uri', 'The same as in the authorization request.', { choices: redirects }),
      buildField('client_id', 'The same as in the authorization request.', { choices: clients }),
      buildField('code_verifier', 'The text that the challenge was derived from.', {
        fill: ['Last verifier', 'codeVerifier'],
      }),
      buildField('refresh_token', 'With grant_type refresh_token.', { fill: ['Last refresh token', 'refreshToken'] }),
      buildField('client_secret', 'demo-confidential has demo-secret.', { rare: true }),
      buildField('scope', 'Fewer scopes than before, when refreshing.', { rare: true }),
      { ...resource, rare: true as const },
    ],
    data: [buildField('access_token', `Sent as Authorization: Bearer. ${describeToken(quoted)}`)],
  }[tab];
}

function describeCode({ lifetimes: { code }, controls }: Quoted): string {
  const use = controls['code-single-use'] ? 'Works once' : 'Works any number of times';
  const seconds = controls['code-lifetime'] ? code.limited : code.unlimited;
  return `From the authorization response. ${use}, for ${formatDuration(seconds)}.`;
}

function describeToken({ lifetimes: { accessToken }, controls }: Quoted): string {
  const isShort = controls['short-token-lifetime'];
  return `Issued for ${formatDuration(isShort ? accessToken.limited : accessToken.unlimited)}.`;
}
