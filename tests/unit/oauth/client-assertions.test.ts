import { randomBytes } from 'node:crypto';
import { decodeJwt, exportJWK, generateKeyPair, importJWK, type JWK, type JWTHeaderParameters, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import type { Transport } from '@/lib/oauth/assessment/target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { smallServer } from '@/tests/fixtures/small-server';

// A client that authenticates with a key, at a server that checks its assertions in front of the small server.

const ISSUER = 'https://small.example';
const CRITICAL = 'an assertion with an unknown critical header';

interface Habits {
  /** Faults of the server. */
  trustsEmbeddedKey?: boolean;
  ignoresCritical?: boolean;
  /** Time that each token request takes, in seconds. */
  answersIn?: number;
}

async function generateKeys(alg: string, members: object = {}): Promise<{ key: JWK; publicKey: JWK }> {
  const pair = await generateKeyPair(alg, { extractable: true });
  return {
    key: { ...(await exportJWK(pair.privateKey)), alg, ...members },
    publicKey: await exportJWK(pair.publicKey),
  };
}

async function judge({ key, publicKey }: { key: JWK; publicKey: JWK }, habits: Habits = {}) {
  const start = Date.now();
  let passed = 0;
  const now = () => start + passed;
  const small = smallServer({}, false, now);
  const { trustsEmbeddedKey = false, ignoresCritical = false, answersIn = 0 } = habits;
  const used = new Set<string>();

  const findKey = ({ alg, jwk }: JWTHeaderParameters) =>
    importJWK(trustsEmbeddedKey && jwk !== undefined ? { ...jwk } : publicKey, alg);
  async function isValid(assertion: string): Promise<boolean> {
    try {
      const { payload } = await jwtVerify(assertion, findKey, {
        algorithms: [String(key.alg)],
        issuer: 'first',
        subject: 'first',
        audience: ISSUER,
        requiredClaims: ['exp', 'jti'],
        currentDate: new Date(now()),
        ...(ignoresCritical ? { crit: { sluice: true } } : {}),
      });
      const isNew = typeof payload.aud === 'string' && !used.has(String(payload.jti));
      used.add(String(payload.jti));
      return isNew;
    } catch {
      return false;
    }
  }
  const transport: Transport = async (request) => {
    const { pathname } = new URL(request.url);
    const form = new URLSearchParams(request.method === 'POST' ? await request.clone().text() : '');
    if (pathname !== '/token' || form.get('client_id') !== 'first') return small.transport(request);
    passed += answersIn * 1000;
    if (!(await isValid(form.get('client_assertion') ?? '')))
      return Response.json({ error: 'invalid_client' }, { status: 401 });
    return small.transport(request);
  };
  const client = {
    id: 'first',
    redirectUri: 'https://app.example.com/callback',
    authentication: { method: 'private_key_jwt' as const, key },
  };
  const [finding] = await assessAll(
    { ...small, client, transport },
    {
      clock: () => performance.now() + passed,
      async sleep(milliseconds) {
        passed += milliseconds;
      },
      random: (length: number) => randomBytes(length),
      controls: CATALOGUE.filter(({ id }) => id === 'client-assertion'),
    },
  );
  return finding?.verdict;
}

test.each(['ES256', 'RS256', 'PS256', 'EdDSA'])('a key of %s that WebCrypto has exported is judged', async (alg) => {
  const keys = await generateKeys(alg, { key_ops: ['sign'], ext: true });
  const verdict = await judge(keys);
  expect(verdict).toMatchObject({ kind: 'passed', reason: expect.stringContaining('keyed with the public key') });
});

test.each([
  ['trusts the key in a header', { trustsEmbeddedKey: true }, 'an assertion with an embedded jwk'],
  ['ignores critical headers', { ignoresCritical: true }, CRITICAL],
])('every assertion is new when it is sent: a slow server that %s fails', async (_what, habits, label) => {
  const verdict = await judge(await generateKeys('ES256'), { ...habits, answersIn: 10 });
  expect(verdict).toMatchObject({ kind: 'failed', reason: expect.stringContaining(label) });
});

test('every assertion has another id', async () => {
  const verdict = await judge(await generateKeys('ES256'), { trustsEmbeddedKey: true, ignoresCritical: true });
  for (const label of ['an assertion with an embedded jwk', 'an assertion with an embedded jwk and its kid', CRITICAL])
    expect(verdict?.reason).toContain(label);
});

test('an unsigned assertion is new in each request: a server that takes it once fails', async () => {
  const small = smallServer();
  const used = new Set<unknown>();
  const ended = new Set<string>();
  const transport: Transport = async (request) => {
    if (new URL(request.url).pathname !== '/token') return small.transport(request);
    const form = new URLSearchParams(await request.clone().text());
    const code = form.get('code') ?? '';
    const assertion = form.get('client_assertion');
    if (assertion !== null) {
      const { jti } = decodeJwt(assertion);
      if (!used.has(jti)) form.set('client_secret', 'kV7pQ2mX9sT4wZ8bN3cJ6dFh');
      used.add(jti);
    }
    const hasEnded = ended.has(code);
    ended.add(code);
    if (hasEnded) form.set('code', 'ended');
    return small.transport(new Request(request.url, { method: 'POST', body: form }));
  };
  const [finding] = await assessAll(
    { ...small, transport },
    {
      clock: () => performance.now(),
      sleep: async () => undefined,
      random: (length: number) => randomBytes(length),
      controls: CATALOGUE.filter(({ id }) => id === 'client-authentication'),
    },
  );
  expect(finding?.verdict).toEqual({ kind: 'failed', reason: 'The server accepted: an unsigned assertion.' });
});
