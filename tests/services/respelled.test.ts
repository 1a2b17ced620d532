import { expect, it } from 'vitest';
import { assessments } from '@/drizzle/assessment-schema';
import { readAssessment } from '@/lib/admin/assessments/read';
import { createApiKey } from '@/lib/admin/keys/create';
import { getApiKey } from '@/lib/admin/keys/get';
import { getQuota } from '@/lib/admin/keys/get-quota';
import { createInvitation } from '@/lib/admin/members/create-invitation';
import { inviteMember } from '@/lib/admin/members/invite';
import { readInvitation } from '@/lib/admin/members/read-invitation';
import { getPolicies } from '@/lib/admin/policies/get';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { whoAmI } from '@/lib/admin/session/who-am-i';
import { createToken } from '@/lib/admin/tokens/create';
import { listTokens } from '@/lib/admin/tokens/list';
import { listDeliveries } from '@/lib/admin/webhooks/deliveries';
import { OPERATIONS } from '@/lib/api/operations';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import type { Operation } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';
import { open, webhookTo } from '@/tests/fixtures/alert-events';
import { servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { call } from '@/tests/fixtures/call';
import { openIdProvider } from '@/tests/fixtures/openid-provider';
import { respell } from '@/tests/fixtures/respell';
import { TEST_ADMIN_TOKEN, testServices } from '@/tests/fixtures/services';

const PASSWORD = 'correct horse battery staple';
const OIDC = { OIDC_CLIENT_ID: 'sluice', OIDC_CLIENT_SECRET: 'a-secret' };

/** Gives a value back to the product. Resolves to `accepted` if it stood for the value that was given out. */
type GiveBack = (spelling: string) => Promise<unknown>;
interface ComingBack {
  /** As the product gave it out. */
  value: string;
  giveBack: GiveBack;
  /** What a refusal looks like. */
  refused: unknown;
}

/** Spellings that a header can carry, and that arrive there as another text: HTTP removes space around a value. */
function respellForHeader(value: string): string[] {
  const isHeader = (text: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
  return respell(value).filter((text) => isHeader(text) && text.trim() !== value);
}

const bearer = (services: Services, value: string): ComingBack => ({
  value,
  giveBack: async (token) => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await call(services, whoAmI, { headers })).status;
  },
  refused: 401,
});

async function invite(services: Services, password?: string): Promise<string> {
  const body = { email: 'ada@example.com', role: 'operator', ...(password === undefined ? {} : { password }) };
  const { json } = await call(services, inviteMember, { body });
  return json.id;
}

const invitation = (services: Services, url: string): ComingBack => ({
  value: new URL(url).hash.slice(1),
  giveBack: async (token) => (await call(services, readInvitation, { body: { token } })).status,
  refused: expect.toSatisfy((status) => status === 400 || status === 404),
});

/** Everything that Sluice gives out and takes back, or takes twice, but what `respell` is used for elsewhere. */
const VALUES: Record<string, (services: Services) => Promise<ComingBack>> = {
  'the token of the environment': async (services) => bearer(services, TEST_ADMIN_TOKEN),
  'an admin token': async (services) => {
    const { json } = await call(services, createToken, { body: { name: 'a', role: 'operator', expires_at: null } });
    return bearer(services, json.token);
  },
  'an admin token in X-Admin-Token': async (services) => {
    const { json } = await call(services, createToken, { body: { name: 'a', role: 'operator', expires_at: null } });
    const ask = async (token: string) => {
      const headers = { Authorization: '', 'X-Admin-Token': token };
      return (await call(services, whoAmI, { headers })).status;
    };
    return { value: json.token, giveBack: ask, refused: 401 };
  },
  'an API key': async (services) => {
    const { json } = await call(services, createApiKey, { body: { name: 'Reports', tier: 'free' } });
    const check = async (api_key: string) => {
      const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ class: 'read', ip: '203.0.113.7', api_key });
      const request = new Request('http://sluice.test/v1/check', { method: 'POST', headers, body });
      const answer = await answerDecisionCall(services, buildDecisionCall(request));
      const { quota } = JSON.parse(answer.body || '{}');
      return answer.status === 200 && quota != null ? 200 : 'no key';
    };
    return { value: json.secret, giveBack: check, refused: 'no key' };
  },
  'the cookie of a session': async (services) => {
    await invite(services, PASSWORD);
    const jar = new BrowserJar(services);
    await jar.signIn('ada@example.com', PASSWORD);
    const name = 'next-auth.session-token';
    const ask = async (cookie: string) => {
      const headers = { Authorization: '', Cookie: `${name}=${cookie}` };
      return (await call(services, whoAmI, { headers })).status;
    };
    return { value: jar.cookies.get(name) ?? '', giveBack: ask, refused: 401 };
  },
  'the cookie of a session, for next-auth': async (services) => {
    await invite(services, PASSWORD);
    const jar = new BrowserJar(services);
    await jar.signIn('ada@example.com', PASSWORD);
    const name = 'next-auth.session-token';
    const ask = async (cookie: string) => {
      const other = new BrowserJar(services);
      other.cookies.set(name, cookie);
      const { user } = (await (await other.send('GET', '/api/auth/session')).json()) as { user?: unknown };
      return user === undefined ? 'nobody' : 200;
    };
    return { value: jar.cookies.get(name) ?? '', giveBack: ask, refused: 'nobody' };
  },
  'an invitation': async (services) => {
    const { json } = await call(services, createInvitation, { params: { id: await invite(services) } });
    return invitation(services, json.url);
  },
  'a link to reset a password': async (services) => {
    const { json } = await call(services, createInvitation, { params: { id: await invite(services, PASSWORD) } });
    return invitation(services, json.url);
  },
  'the CSRF token of the sign-in': async (services) => {
    await invite(services, PASSWORD);
    const jar = new BrowserJar(services);
    const csrfToken = await jar.csrf();
    const cookies = [...jar.cookies];
    const signIn = async (token: string) => {
      const fresh = new BrowserJar(services);
      for (const [name, value] of cookies) fresh.cookies.set(name, value);
      const form = { email: 'ada@example.com', password: PASSWORD, csrfToken: token, callbackUrl: '/', json: 'true' };
      await fresh.send('POST', '/api/auth/callback/credentials', form).catch(() => undefined);
      return fresh.cookies.has('next-auth.session-token') ? 200 : 'nobody';
    };
    return { value: csrfToken, giveBack: signIn, refused: 'nobody' };
  },
  'the state of a sign-in with a provider': (services) => signInWithProvider(services, 'state'),
  'the nonce of a sign-in with a provider': (services) => signInWithProvider(services, 'nonce'),
  'an entity tag': async (services) => {
    const read = async () => (await call(services, getPolicies)).headers.get('etag') ?? '';
    const change = async (tag: string) => {
      const body = { tier_rates: { free: 1 + Math.floor(Math.random() * 1_000_000) } };
      return (await call(services, patchPolicies, { body, headers: { 'If-Match': tag } })).status;
    };
    return {
      value: await read(),
      giveBack: change,
      refused: expect.toSatisfy((status) => status === 400 || status === 412),
    };
  },
  'the cursor of a list': async (services) => {
    for (const name of ['a', 'b', 'c'])
      await call(services, createToken, { body: { name, role: 'viewer', expires_at: null } });
    const { headers } = await call(services, listTokens, { query: { limit: '1' } });
    const ask = async (cursor: string) => (await call(services, listTokens, { query: { limit: '1', cursor } })).status;
    return { value: readCursor(headers), giveBack: ask, refused: 400 };
  },
  'the cursor of deliveries': async (services) => {
    const { id } = await webhookTo(services, 'http://127.0.0.1:9/');
    for (const subject of ['a', 'b', 'c']) await open(services, subject);
    const list = (query: Record<string, string>) => call(services, listDeliveries, { params: { id }, query });
    const value = readCursor((await list({ limit: '1' })).headers);
    const read = (cursor: string) => Buffer.from(cursor, 'base64url').toString();
    const ask = async (cursor: string) => {
      const { status } = await list({ limit: '1', cursor });
      // Other digits are another position.
      return read(cursor) === read(value) ? status : 400;
    };
    return { value, giveBack: ask, refused: 400 };
  },
  // Text that the caller chose is compared byte for byte: another spelling is another key.
  'an Idempotency-Key': async (services) => {
    let count = 0;
    const create = async (key: string) => {
      count += 1;
      const body = { name: 'a', role: 'viewer', expires_at: null };
      const { status, headers } = await call(services, createToken, { body, headers: { 'Idempotency-Key': key } });
      if (status === 400) return 'another';
      return headers.get('idempotency-replayed') === 'true' || count === 1 ? 201 : 'another';
    };
    await create('8f14e45f-ceea-467f-A0E6');
    return { value: '8f14e45f-ceea-467f-A0E6', giveBack: create, refused: 'another' };
  },
  // It is repeated byte for byte, or replaced.
  'a request id': async (services) => {
    const value = '8f14e45f-ceea-467f-A0E6';
    const ask = async (id: string) => {
      const { headers } = await call(services, whoAmI, { headers: { 'X-Request-Id': id } });
      const given = headers.get('x-request-id');
      return given === value ? 200 : 'another';
    };
    return { value, giveBack: ask, refused: 'another' };
  },
};

const readCursor = (headers: Headers) =>
  new URL(/<([^>]*)>/.exec(headers.get('link') ?? '')?.[1] ?? '', 'http://sluice.test').searchParams.get('cursor') ??
  '';

/** Signs in; a respelled `state` comes back in the address, a respelled `nonce` in the ID token. */
async function signInWithProvider(services: Services, which: 'state' | 'nonce'): Promise<ComingBack> {
  await invite(services);
  const signIn = async (spelling: string | null) => {
    await using provider = await openIdProvider('sluice', Date.now);
    const jar = new BrowserJar(
      await servicesOn(services.database, { ...OIDC, OIDC_ISSUER: provider.issuer }, Date.now),
    );
    const form = { csrfToken: await jar.csrf(), callbackUrl: '/', json: 'true' };
    const left = (await (await jar.send('POST', '/api/auth/signin/oidc', form)).json()) as { url: string };
    const value = new URL(left.url).searchParams.get(which) ?? '';
    const given = spelling === null ? value : (respell(value)[Number(spelling)] ?? '');
    const claims = { sub: 'ada', email: 'ada@example.com', email_verified: true };
    const back = new URL(provider.approve(left.url, { claims, ...(which === 'nonce' ? { nonce: given } : {}) }));
    if (which === 'state') back.searchParams.set('state', given);
    await jar.send('GET', back.pathname + back.search);
    return jar.cookies.has('next-auth.session-token') ? 200 : 'nobody';
  };
  // Each sign-in has its own value, so its spellings are numbered.
  return { value: 'numbered', giveBack: (text) => signIn(text === 'numbered' ? null : text), refused: 'nobody' };
}

const IN_HEADER = /token|cookie|tag|Idempotency-Key|request id/;

it.each(Object.keys(VALUES))('%s is taken in its one spelling only', async (name) => {
  using place = await testServices({ SLUICE_ASSESS_ALLOW: '127.0.0.1/32' });
  const { value, giveBack, refused } = await VALUES[name]!(place.services);
  expect(value).not.toBe('');
  const spellings =
    value === 'numbered'
      ? respell('A'.repeat(43)).map((_, i) => String(i))
      : IN_HEADER.test(name) && !name.startsWith('the CSRF')
        ? respellForHeader(value)
        : respell(value);
  expect(spellings.length).toBeGreaterThan(50);
  for (const spelling of spellings) expect([spelling, await giveBack(spelling)]).toEqual([spelling, refused]);
  expect([200, 201]).toContain(await giveBack(value));
});

const ID = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';
const NOT_CANONICAL = [
  ...[`{${ID}}`, `urn:uuid:${ID}`, ID.replaceAll('-', ''), ` ${ID}`, `${ID} `, `${ID}\n`, `${ID}\0`, `%7B${ID}%7D`],
  ...[
    ID.replace('8', '\uff18'),
    `0${ID}`,
    ID.slice(1),
    ID.replaceAll('-', '\u2010'),
    ID.replaceAll('-', '_'),
    `"${ID}"`,
  ],
];

it('the uuid in the path of every operation is canonical, or refused', async () => {
  using place = await testServices();
  const withId = OPERATIONS.filter(({ path, params }) => path.includes('{') && params !== undefined);
  let tried = 0;
  for (const operation of withId) {
    const [name = ''] = /(?<=\{)\w+/.exec(operation.path) ?? [];
    const others = operation.example?.params as Record<string, string>;
    if (others[name] !== ID) continue;
    tried += 1;
    for (const id of NOT_CANONICAL) {
      const { status } = await call(place.services, operation, {
        ...operation.example,
        params: { ...others, [name]: id },
      });
      expect([operation.id, id, status]).toEqual([operation.id, id, 400]);
    }
  }
  expect(tried).toBeGreaterThan(20);
});

it('a uuid in upper case is the same uuid', async () => {
  using place = await testServices({ SLUICE_ASSESS_ALLOW: '127.0.0.1/32' });
  const { services } = place;
  const row = {
    ...{ id: ID, name: 'x', kind: 'server' as const, target: 'https://as.example.com', startedAt: 1 },
    ...{ startedBy: 'x', starter: 'x', build: '0', state: 'running' as const, aliveAt: 0, durationMs: 0 },
    ...{ preflight: '[]', passed: 0, failed: 0, notApplicable: 0, inconclusive: 0, grade: null },
  };
  await services.database.drizzle.insert(assessments).values(row);
  const key = (await call(services, createApiKey, { body: { name: 'Reports', tier: 'free' } })).json.id;
  const hook = (await webhookTo(services, 'http://127.0.0.1:9/')).id;
  const questions: [Operation, Record<string, string>][] = [
    [readAssessment, { id: ID }],
    [getApiKey, { id: key }],
    [getQuota, { api_key: key }],
    [listDeliveries, { id: hook }],
    [createInvitation, { id: await invite(services) }],
  ];
  for (const [operation, params] of questions) {
    const upper = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value.toUpperCase()]));
    const [as, other] = [
      await call(services, operation, { params }),
      await call(services, operation, { params: upper }),
    ];
    expect(as.status, operation.id).toBeLessThan(300);
    expect([operation.id, other.status], other.text).toEqual([operation.id, as.status]);
    expect(other.text).not.toContain(Object.values(upper)[0]);
  }
});
