import { createRemoteJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { describe, expect, test } from 'vitest';
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT } from '@/lib/contract/lab-paths';
import type { Transport } from '@/lib/oauth/assessment/target';
import { assessServer, everythingOf } from '@/tests/fixtures/assess-server';
import { CLIENTS, oidcServer } from '@/tests/fixtures/oidc-server';

// The grant of RFC 8693, added to oidc-provider: sound, and with one weakness at a time.

const CONTROLS = [
  'token-exchange-authentication',
  'token-exchange-subject',
  'token-exchange-type',
  'token-exchange-scope',
];
const ALL_PASS = Object.fromEntries(CONTROLS.map((id) => [id, 'passed']));

interface Weakness {
  /** Reads a subject token. */
  read?: (token: string, sound: (token: string) => Promise<JWTPayload>) => Promise<JWTPayload>;
  /** Chooses the scope of the new token. */
  scope?: (asked: string | undefined, granted: string) => string;
  transport?: (request: Request, send: Transport) => Promise<Response>;
}

/** Narrows a scope to what was granted. */
const narrow = (asked: string | undefined, granted: string): string => {
  const known = granted.split(' ');
  if (asked?.split(' ').some((name) => !known.includes(name))) throw new errors.InvalidScope('too wide', asked);
  return asked ?? granted;
};

async function assessExchange(
  { read = (token, sound) => sound(token), scope = narrow, transport }: Weakness,
  changes: object = {},
) {
  const handle = async (context: KoaContextWithOIDC) => {
    const { params = {}, provider, client } = context.oidc;
    const { issuer } = provider;
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
    const sound = async (token: string) =>
      (await jwtVerify(token, keys, { issuer, typ: 'at+jwt', algorithms: ['RS256'] })).payload;
    if (params.subject_token_type !== ACCESS_TOKEN_TYPE) throw new errors.InvalidRequest('subject_token_type');
    const claims = await read(String(params.subject_token ?? ''), sound).catch((error: unknown) => {
      throw new errors.InvalidRequest('subject_token is not valid', undefined, { cause: error });
    });
    const granted = scope(params.scope === undefined ? undefined : String(params.scope), String(claims.scope ?? ''));
    const token = new provider.AccessToken({
      accountId: String(claims.sub),
      client: client as Client,
      grantId: 'exchanged',
      gty: 'token_exchange',
      scope: granted,
    });
    context.body = {
      access_token: await token.save(),
      issued_token_type: ACCESS_TOKEN_TYPE,
      token_type: 'Bearer',
      expires_in: 60,
      scope: granted,
    };
  };
  const parameters = ['subject_token', 'subject_token_type', 'scope'];
  await using server = await oidcServer({
    consent: 'first-party',
    grants: { [TOKEN_EXCHANGE_GRANT]: { handle, parameters } },
  });
  const description = everythingOf(server, { cookie: await server.signIn(), ...changes });
  const { findings } = await assessServer(description, {
    controls: CONTROLS,
    ...(transport === undefined ? {} : { transport }),
  });
  return Object.fromEntries(findings.map(({ control, verdict }) => [control, verdict.kind]));
}

/** Gives every token exchange the right credentials. */
const authenticateAll: Weakness['transport'] = async (request, send) => {
  const body = new URLSearchParams(await request.clone().text());
  if (request.method !== 'POST' || body.get('grant_type') !== TOKEN_EXCHANGE_GRANT) return send(request);
  body.set('client_id', CLIENTS.other);
  body.set('client_secret', CLIENTS.secret);
  const headers = new Headers(request.headers);
  headers.delete('authorization');
  return send(new Request(request.url, { method: 'POST', headers, body, redirect: 'manual' }));
};

describe('a token exchange', () => {
  test('that is sound passes', async () => {
    expect(await assessExchange({})).toEqual(ALL_PASS);
  });

  const weak: [string, Weakness, string][] = [
    [
      'verifies no signature',
      { read: async (token, sound) => (isAccessToken(token) ? decodeJwt(token) : sound(token)) },
      'token-exchange-subject',
    ],
    [
      'takes ID tokens',
      {
        read: (token, sound) =>
          decodeType(token) === 'JWT' || decodeType(token) === undefined ? verifyAny(token) : sound(token),
      },
      'token-exchange-type',
    ],
    ['gives any scope', { scope: (asked, granted) => asked ?? granted }, 'token-exchange-scope'],
    [
      'gives every scope of the client',
      { scope: (asked, granted) => (asked?.startsWith('sluice') ? narrow(asked, granted) : (asked ?? granted)) },
      'token-exchange-scope',
    ],
    ['authenticates nobody', { transport: authenticateAll }, 'token-exchange-authentication'],
  ];
  test.each(weak)('that %s fails exactly its control', async (_, weakness, control) => {
    expect(await assessExchange(weakness)).toEqual({ ...ALL_PASS, [control]: 'failed' });
  });

  test.each([
    [401, 'invalid_client', 'inconclusive'],
    [400, 'unauthorized_client', 'not_applicable'],
    [429, 'slow_down', 'inconclusive'],
    [500, 'server_error', 'inconclusive'],
  ])('that is refused with %s %s passes nothing', async (status, error, kind) => {
    const transport: Weakness['transport'] = async (request, send) =>
      (await request.clone().text()).includes('token-exchange') ? Response.json({ error }, { status }) : send(request);
    expect(await assessExchange({ transport })).toEqual(Object.fromEntries(CONTROLS.map((id) => [id, kind])));
  });

  test.each([
    ['unsupported_grant_type', 'not_applicable'],
    ['unauthorized_client', 'inconclusive'],
    ['invalid_request', 'inconclusive'],
  ])('that a public client is refused with %s is %s', async (error, kind) => {
    const transport: Weakness['transport'] = async (request, send) => {
      const isExchange = (await request.clone().text()).includes('token-exchange');
      if (isExchange) return Response.json({ error }, { status: 400 });
      const answer = await send(request);
      if (!request.url.includes('/.well-known/')) return answer;
      return Response.json({ ...(await answer.json()), grant_types_supported: undefined }, { status: answer.status });
    };
    const verdicts = await assessExchange({ transport }, { other_client: undefined });
    expect(verdicts).toEqual(Object.fromEntries(CONTROLS.map((id) => [id, kind])));
  });
});

const decodeHeader = (token: string): { typ?: string; kid?: string; alg?: string } =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
const decodeType = (token: string): string | undefined => {
  try {
    return decodeHeader(token).typ;
  } catch {
    return 'none';
  }
};
const isAccessToken = (token: string): boolean => decodeType(token) === 'at+jwt';
/** Takes an ID token of the server, whose form was seen to be sound. */
const verifyAny = async (token: string): Promise<JWTPayload> => ({ ...decodeJwt(token), scope: 'read' });
