import { createServer, METHODS, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACTS } from '@/lib/contract/contracts';
import { findProtection } from '@/lib/enforcement/admission';
import { FORWARDED_METHODS } from '@/lib/http/request-methods';
import { SAFE_METHODS } from '@/lib/http/safe-methods';
import { listen } from '../../fixtures/listen';
import { ADMIN_TOKEN, OWNER_EMAIL, OWNER_PASSWORD, type Product, startProduct } from '../../fixtures/product';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { routesOnDisk } from '../../fixtures/routes-on-disk';
import { until } from '../../fixtures/until';
import { expectRefusal, type RefusalCode } from './expect-refusal';

const ADMIN = /^\/v1\/admin(?:\/|$)/;
/** Their routes are catch-alls of `app`, or the upstream's. */
const BEHIND_CATCH_ALLS = [
  '/api/auth/callback/credentials',
  '/api/auth/callback/oidc',
  '/api/auth/signin/oidc',
  '/shop',
];
const documented = CONTRACTS.map(({ path }) => path.replaceAll(/\{[^}]+\}/g, 'x'));
const routes = [...new Set([...routesOnDisk('route.ts'), ...documented, ...BEHIND_CATCH_ALLS])].filter(
  (path) => !ADMIN.test(path),
);
const limited = routes.filter((path) => findProtection(path, true) !== 'own');
/** What the upstream gets beside GET and POST. Other registered methods are 400, because Node.js does not parse them. */
const otherMethods = FORWARDED_METHODS.filter(
  (method) => METHODS.includes(method) && !['GET', 'POST'].includes(method),
);

const CLASSES = ['auth', 'sensitive', 'read', 'write', 'lab'];
const MANY = { limit: 1_000_000, window_seconds: 60 };
const ONE = { limit: 1, window_seconds: 60 };
const everyClass = (policy: object) => Object.fromEntries(CLASSES.map((name) => [name, policy]));
const UNLIMITED = {
  classes: everyClass({ ip: MANY, user: MANY, on_store_failure: 'closed' }),
  clients: { public: MANY, confidential: MANY },
  global: MANY,
  tiers: { free: 1_000_000, starter: 1_000_001, business: 1_000_002, enterprise: 1_000_003 },
};

let product: Product;
let redis: RedisServer;
let upstream: Server;
let cookie: string;
let key: { id: string; secret: string };
let addresses = 0;
const someone = () => `198.18.${Math.floor(++addresses / 250)}.${1 + (addresses % 250)}`;

const send = (path: string, method: string, headers: Record<string, string> = {}) =>
  fetch(product.origin + path, { method, redirect: 'manual', headers: { 'x-forwarded-for': someone(), ...headers } });

/** Changes the policies, from those that refuse nothing. */
async function setPolicies(changed: object = {}): Promise<void> {
  for (const patch of [UNLIMITED, changed]) {
    const response = await product.admin('PATCH', '/v1/admin/policies', patch);
    expect(response.status, await response.text()).toBe(200);
  }
}

async function setRules(rules: readonly object[]): Promise<void> {
  expect((await product.admin('PUT', '/v1/admin/route-rules', rules)).status).toBe(200);
}

async function signIn(): Promise<string> {
  const csrf = await send('/api/auth/csrf', 'GET');
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const cookiesOf = (answer: Response) => answer.headers.getSetCookie().map((text) => text.split(';')[0] ?? '');
  const fields = { email: OWNER_EMAIL, password: OWNER_PASSWORD, csrfToken, callbackUrl: '/', json: 'true' };
  const answer = await fetch(`${product.origin}/api/auth/callback/credentials`, {
    method: 'POST',
    headers: { cookie: cookiesOf(csrf).join('; '), 'x-forwarded-for': someone() },
    body: new URLSearchParams(fields),
  });
  expect(answer.status).toBe(200);
  return cookiesOf(answer).join('; ');
}

interface Refusal extends RefusalCode {
  name: string;
  policies?: object;
  /** Headers of the requests that are refused; an address of its own unless they have one. */
  headers?: () => Record<string, string>;
  /** Whether a request that asks for a decision is refused too: the throttle counts only what is served here. */
  byDecisionApi: boolean;
  before?: () => Promise<unknown>;
  after?: () => Promise<unknown>;
  concerns?: (path: string, method: string) => boolean;
}

const classOnly = (path: string) => !/^\/(?:auth(?:\/|$)|api\/(?:data$|auth\/))/.test(path);
const REFUSALS: Refusal[] = [
  {
    name: 'its address',
    status: 429,
    error: 'rate_limit_exceeded',
    policies: { classes: everyClass({ ip: ONE }) },
    headers: () => ({ 'x-forwarded-for': '203.0.113.7' }),
    byDecisionApi: true,
    hasLimit: true,
  },
  {
    name: 'its client',
    status: 429,
    error: 'client_rate_limit_exceeded',
    policies: { clients: { confidential: ONE } },
    headers: () => ({ 'x-api-key': key.secret }),
    byDecisionApi: true,
    hasLimit: true,
  },
  {
    name: 'its user',
    status: 429,
    error: 'user_rate_limit_exceeded',
    policies: { classes: everyClass({ user: ONE }) },
    headers: () => ({ cookie, 'x-verified-user': 'user-1' }),
    byDecisionApi: true,
    hasLimit: true,
  },
  {
    name: 'a named limit of its route rule',
    status: 429,
    error: 'rate_limit_exceeded',
    limitName: 'one-each',
    headers: () => ({ 'x-forwarded-for': '203.0.113.8' }),
    before: async () => {
      const limit = { name: 'one-each', windows: [{ limit: 1, seconds: 60 }] };
      expect((await product.admin('POST', '/v1/admin/limits', limit)).status).toBe(201);
      await setRules([{ method: '*', path: '*', class: 'read', limits: [{ name: 'one-each', subject: 'ip' }] }]);
    },
    after: () => setRules([]),
    byDecisionApi: true,
    hasLimit: true,
  },
  {
    name: 'its quota',
    status: 429,
    error: 'quota_exceeded',
    policies: { tiers: { free: 1 } },
    headers: () => ({ 'x-api-key': key.secret }),
    byDecisionApi: true,
    hasLimit: true,
  },
  {
    name: 'the throttle of the instance',
    status: 503,
    error: 'service_unavailable',
    policies: { global: ONE },
    byDecisionApi: false,
    hasLimit: true,
  },
  {
    name: 'an incident that is read-only',
    status: 503,
    error: 'service_unavailable',
    before: () =>
      product.admin('PUT', '/v1/admin/incident', {
        mode: 'read_only',
        until: new Date(Date.now() + 3_600_000).toISOString(),
        reason: 'a test',
      }),
    after: () => product.admin('DELETE', '/v1/admin/incident'),
    byDecisionApi: true,
    hasLimit: true,
    concerns: (path, method) => !SAFE_METHODS.has(method) && classOnly(path),
  },
  {
    name: 'a store that is down',
    status: 503,
    error: 'service_unavailable',
    before: () => redis.kill(),
    after: async () => {
      await redis.start();
      await until(async () => (await send('/api/data', 'GET')).headers.has('x-ratelimit-limit'));
    },
    byDecisionApi: true,
    hasLimit: false,
  },
];

/** Declares the walk: every route that is not of the administration, with every refusal, on one server. */
export function walkRefusals(entry: 'server.mjs' | 'next start'): void {
  const suite = redisIsMissing('codes of refusals') ? describe.skip : describe;
  suite(`a request that ${entry} refuses`, () => {
    beforeAll(async () => {
      redis = await RedisServer.start({ port: 'free' });
      upstream = createServer((_, response) => response.end('shop'));
      product = await startProduct({
        entry,
        env: {
          REDIS_URL: redis.url,
          SLUICE_UPSTREAM: `http://127.0.0.1:${await listen(upstream)}`,
          SLUICE_TRUSTED_PROXIES: '127.0.0.0/8,::1/128',
          SLUICE_USER_HEADER: 'X-Verified-User',
        },
      });
      await setPolicies();
      cookie = await signIn();
      const made = { name: 'a key', tier: 'free', client_type: 'confidential' };
      key = (await (await product.admin('POST', '/v1/admin/api-keys', made)).json()) as typeof key;
    });
    afterAll(async () => {
      await product?.stop();
      await redis?.stop();
      upstream?.close();
    });

    it('finds the routes', () => {
      expect(limited).toEqual(expect.arrayContaining(['/auth/token', '/auth/par', '/api/data', '/auth/x', '/shop']));
      expect(routes).toEqual(
        expect.arrayContaining(['/v1/check', '/healthz', '/.well-known/oauth-authorization-server']),
      );
    });

    describe.each(REFUSALS)('by $name', (refusal) => {
      const { headers = () => ({}), concerns = () => true } = refusal;
      beforeAll(async () => {
        await setPolicies(refusal.policies);
        await refusal.before?.();
      });
      afterAll(async () => {
        await refusal.after?.();
      });

      const requests = limited.flatMap((path) => ['GET', 'POST'].map((method) => ({ path, method })));
      it.each(requests.filter(({ path, method }) => concerns(path, method)))(
        'gets the code, $method $path',
        async ({ path, method }) => {
          await send(path, method, headers());
          await expectRefusal(await send(path, method, headers()), refusal, `${method} ${path}`);
          const problem = await send(path, method, { ...headers(), accept: 'application/problem+json' });
          expect(problem.headers.get('content-type')).toBe('application/problem+json');
          expect(await problem.json()).toMatchObject({ error: refusal.error, status: refusal.status });
          expect(problem.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        },
      );

      it('gets the code by every other method for the upstream', async () => {
        expect(otherMethods).toEqual(expect.arrayContaining(['PUT', 'HEAD', 'PROPFIND', 'MKCOL', 'LINK']));
        await send('/shop', 'GET', headers());
        const refused = otherMethods.filter((method) => concerns('/shop', method));
        await Promise.all(
          refused.map(async (method) =>
            expectRefusal(await send('/shop', method, headers()), refusal, `${method} /shop`),
          ),
        );
      });

      it('is never refused in another way elsewhere', async () => {
        for (const path of routes.filter((path) => !limited.includes(path))) {
          for (const method of ['GET', 'POST']) {
            const response = await send(path, method, headers());
            const { status } = response;
            if (status !== 429 && status !== 503) continue;
            await expectRefusal(response, { ...refusal, hasLimit: false }, `${method} ${path}`);
          }
        }
      });

      if (refusal.byDecisionApi !== true) return;
      it('gets it from the decision API', async () => {
        for (const path of ['/auth/token', '/api/data', '/shop', '/login']) {
          if (!concerns(path, 'POST')) continue;
          const asked = {
            authorization: `Bearer ${ADMIN_TOKEN}`,
            'x-forwarded-method': 'POST',
            'x-forwarded-uri': path,
            'x-forwarded-for': someone(),
            ...headers(),
          };
          for (const at of ['/v1/forward-auth', `/v1/forward-auth/envoy${path}`]) {
            await send(at, 'POST', asked);
            await expectRefusal(await send(at, 'POST', asked), refusal, `${at} ${path}`);
          }
          const nginx = await send('/v1/forward-auth?proxy=nginx', 'GET', asked);
          await expectRefusal(nginx, refusal, `nginx ${path}`, 403);
          expect(nginx.headers.get('x-rl-status')).toBe(String(refusal.status));

          const check: Record<string, unknown> = { method: 'POST', path, ip: asked['x-forwarded-for'] };
          if ('x-api-key' in asked) check.api_key = key.secret;
          if ('cookie' in asked) check.user_id = 'user-1';
          const single = await product.admin('POST', '/v1/check', check);
          const [batched] = (await (await product.admin('POST', '/v1/check/batch', [check])).json()) as unknown[];
          for (const answer of [await single.json(), batched]) {
            const named = refusal.limitName === undefined ? {} : { limit_name: refusal.limitName };
            expect(answer).toMatchObject({
              ...{ allowed: false, error: refusal.error, ...named },
              retry_after: expect.any(Number),
            });
          }
        }
      });
    });
  });
}
