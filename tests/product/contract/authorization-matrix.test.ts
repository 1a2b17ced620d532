import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONTRACTS } from '@/lib/contract/contracts';
import type { Method, RoleAccess } from '@/lib/contract/operation';
import { bridge } from '@/lib/process/bridge';
import { TEST_ADMIN_TOKEN, testServices } from '@/tests/fixtures/services';
import { startProduct } from '../../fixtures/product';
import { until } from '../../fixtures/until';
import { makeLab } from '../../unit/oauth/lab-fixture';

/**
 * Every operation of the API against every kind of credential: once through the running product, and once through the
 * route handlers alone, as if proxy.ts were not there. Who may do what must not rest on it.
 */
const ROLES = ['viewer', 'operator', 'owner', 'gateway'] as const;
const MAY: Record<Exclude<RoleAccess, 'public'>, readonly string[]> = {
  'any-token': ['viewer', 'operator', 'owner', 'gateway', 'bootstrap'],
  decide: ['operator', 'owner', 'gateway', 'bootstrap'],
  viewer: ['viewer', 'operator', 'owner', 'bootstrap'],
  operator: ['operator', 'owner', 'bootstrap'],
  owner: ['owner', 'bootstrap'],
};
const known = new Set<string>(ROLES).add('bootstrap');
const guarded = CONTRACTS.flatMap(({ id, method, path, access }) =>
  access in MAY ? [{ id, method, path, access: access as keyof typeof MAY }] : [],
);

type Send = (method: Method, path: string, headers: Record<string, string>, body: string | null) => Promise<number>;

/** A request that goes no further than its body or its path, where the credential is good. */
function harmless(path: string, method: Method): { path: string; body: string | null } {
  const unknown = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
  if (method === 'GET') return { path: unknown, body: null };
  return {
    path: `${unknown}${method === 'DELETE' ? '?nothing-of-this-name=1' : ''}`,
    body: '{"nothing of this name":1}',
  };
}

function headersOf(tokens: Record<string, string>): Record<string, Record<string, string>> {
  const bearer = (token: string | undefined) => ({ Authorization: `Bearer ${token}` });
  return {
    none: {},
    malformed: { Authorization: `Token ${tokens.owner}` },
    basic: { Authorization: `Basic ${Buffer.from(`owner:${tokens.owner}`).toString('base64')}` },
    unknown: bearer(`slt_${randomBytes(32).toString('base64url')}`),
    revoked: bearer(tokens.revoked),
    expired: bearer(tokens.expired),
    'an API key': bearer(tokens.key),
    'an API key as one': { 'X-Api-Key': tokens.key ?? '' },
    'a token of the lab': bearer(tokens.lab),
    'an invalid cookie': { Cookie: 'next-auth.session-token=abc', Origin: 'http://sluice.test' },
    'a prefix of a token': bearer(tokens.owner?.slice(0, -1)),
    'a token in the query': {},
    ...Object.fromEntries([...known].map((role) => [role, bearer(tokens[role])])),
  };
}

/** @param atOnce how many credentials are tried side by side */
async function matrix(tokens: Record<string, string>, send: Send, atOnce: number): Promise<Record<string, string>> {
  const wrong: Record<string, string> = {};
  const queue = Object.entries(headersOf(tokens));
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await tryAll(...next);
  };
  const tryAll = async (name: string, headers: Record<string, string>) => {
    for (const { id, method, path, access } of guarded) {
      const { path: plain, body } = harmless(path, method);
      const inQuery = `${plain.includes('?') ? '&' : '?'}access_token=${tokens.owner}`;
      const status = await send(method, name === 'a token in the query' ? plain + inQuery : plain, headers, body);
      // The decision API takes no query at all, and says so first.
      if (name === 'a token in the query' && access === 'decide' && status === 400) continue;
      const expected = known.has(name) ? (MAY[access].includes(name) ? 'let through' : 403) : 401;
      const given = status === 401 || status === 403 ? status : status < 500 ? 'let through' : status;
      if (given !== expected) wrong[`${id} with ${name}`] = `${status}, not ${expected}`;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return wrong;
}

/** Makes the credentials through the API, by the bootstrap token. `pass` waits until the short-lived token has expired. */
async function credentials(
  origin: string,
  ask: (request: Request) => Promise<Response>,
  now: () => number,
  pass: (isExpired: () => Promise<boolean>) => Promise<void>,
): Promise<Record<string, string>> {
  const send = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'Content-Type': 'application/json' };
    const answer = await ask(new Request(origin + path, { method, headers, body: JSON.stringify(body) }));
    expect(answer.status, `${method} ${path}`).toBeLessThan(300);
    return answer.status === 204 ? {} : ((await answer.json()) as Record<string, string>);
  };
  const tokens: Record<string, string> = {
    bootstrap: TEST_ADMIN_TOKEN,
    lab: (await makeLab().tokensFor()).access_token,
  };
  for (const role of ROLES) tokens[role] = (await send('POST', '/v1/admin/tokens', { name: role, role })).token ?? '';
  const revoked = await send('POST', '/v1/admin/tokens', { name: 'revoked', role: 'owner' });
  await send('DELETE', `/v1/admin/tokens/${revoked.id}`);
  const expires_at = new Date(now() + 1_500).toISOString();
  const expired = await send('POST', '/v1/admin/tokens', { name: 'expired', role: 'owner', expires_at });
  const key = await send('POST', '/v1/admin/api-keys', { name: 'key', tier: 'free' });
  await pass(async () => {
    const headers = { Authorization: `Bearer ${expired.token}` };
    return (await ask(new Request(`${origin}/v1/admin/session`, { headers }))).status === 401;
  });
  return { ...tokens, revoked: revoked.token ?? '', expired: expired.token ?? '', key: key.secret ?? '' };
}

describe('every operation against every credential', () => {
  it('covers what there is', () => {
    expect(guarded.length).toBeGreaterThan(40);
    expect(Object.keys(headersOf({})).length).toBeGreaterThanOrEqual(12);
  });

  it('through the running product', async () => {
    const product = await startProduct({
      env: { SLUICE_TRUSTED_PROXIES: '127.0.0.1', SLUICE_ADMIN_TOKEN: TEST_ADMIN_TOKEN },
    });
    try {
      const tokens = await credentials(product.origin, fetch, Date.now, (isExpired) => until(isExpired));
      let sent = 0;
      const wrong = await matrix(
        tokens,
        async (method, path, headers, body) => {
          // Whoever sends too many wrong tokens waits: each request has an address of its own.
          sent += 1;
          const from = `198.${18 + (sent >> 16)}.${(sent >> 8) & 255}.${sent & 255}`;
          return statusOf(
            await fetch(requestOf(product.origin, method, path, { ...headers, 'X-Forwarded-For': from }, body)),
          );
        },
        6,
      );
      expect(wrong).toEqual({});
    } finally {
      await product.stop();
    }
    // Thousands of requests, for which a busy machine takes a while.
  });

  it('through the routes alone, without proxy.ts', async () => {
    using here = await testServices();
    bridge.services = Promise.resolve(here.services);
    try {
      const origin = 'http://sluice.test';
      const tokens = await credentials(
        origin,
        askRoute,
        () => here.clock.now,
        async () => here.clock.advance(2_000),
      );
      const wrong = await matrix(
        tokens,
        async (method, path, headers, body) => {
          here.clock.advance(1_000);
          return statusOf(await askRoute(requestOf(origin, method, path, headers, body)));
        },
        1,
      );
      expect(wrong).toEqual({});
    } finally {
      bridge.services = undefined;
    }
  });
});

function requestOf(origin: string, method: Method, path: string, headers: Record<string, string>, body: string | null) {
  const typed = body === null ? headers : { ...headers, 'Content-Type': 'application/json' };
  return new Request(origin + path, { method, headers: typed, body });
}

async function statusOf(response: Response): Promise<number> {
  await response.body?.cancel();
  return response.status;
}

type Handler = (request: Request, route: { params: Promise<Record<string, string>> }) => Promise<Response>;

/** Those that take whole trees come last, the deepest of them first. */
const routes = readdirSync('app', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('route.ts'))
  .sort((a, b) => Number(a.includes('...')) - Number(b.includes('...')) || b.length - a.length)
  .map((file) => {
    const tree = `/${dirname(file)}`.replace(/\/\[\[\.{3}\w+\]\]$/, '(?:/.*)?').replace(/\[\.{3}\w+\]/, '.+');
    return { file, pattern: new RegExp(`^${tree.replaceAll(/\[(\w+)\]/g, '(?<$1>[^/]+)')}$`) };
  });

/** What Next does with a request, and nothing of what proxy.ts does. */
async function askRoute(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  for (const { file, pattern } of routes) {
    const match = pattern.exec(pathname);
    if (match === null) continue;
    const handlers: Record<string, Handler> = await import(join(process.cwd(), 'app', file));
    const handler = handlers[request.method];
    if (handler === undefined) throw new Error(`${file} has no ${request.method}.`);
    return handler(request, { params: Promise.resolve({ ...match.groups }) });
  }
  throw new Error(`There is no route for ${pathname}.`);
}
