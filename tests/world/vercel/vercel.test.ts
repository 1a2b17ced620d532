import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Application, startApplication } from '@/tests/fixtures/application';
import { CONSOLE_TITLES } from '@/tests/fixtures/console-pages';
import { OWNER_EMAIL, OWNER_PASSWORD } from '@/tests/fixtures/product';
import { createKeyOn, someone } from '@/tests/fixtures/product-suite';
import { partsAreMissing } from '@/tests/fixtures/programs';
import { until } from '@/tests/fixtures/until';
import { Visitor } from '@/tests/fixtures/visitor';
import { WebhookReceiver } from '@/tests/fixtures/webhook-receiver';
import { CRON_SECRET, type Project, startProject } from './deployment';
import { MADE_BY } from './layout';
import type { Deployment } from './platform';

const suite = 'world/vercel';

describe.skipIf(partsAreMissing(suite, 'sqld', 'redis'))(
  `functions of \`${MADE_BY}\`, frozen after each answer and sometimes killed,`,
  () => {
    let project: Project;
    let application: Application;
    let deployment: Deployment;
    /** Times that a function became idle, and after how many of them one is killed. */
    let idle = 0;
    let killEvery = 20;

    beforeAll(async () => {
      application = await startApplication(({ url }, response) => response.end(`the application at ${url}`));
      project = await startProject();
      deployment = await project.deploy({
        instances: 2,
        env: { SLUICE_UPSTREAM: `http://127.0.0.1:${application.port}` },
        kills: () => {
          idle += 1;
          return idle % killEvery === 0;
        },
      });
    });
    afterAll(async () => {
      await project?.stop();
      await application?.close();
    });

    const call = (path: string, init: RequestInit = {}, address = '192.0.2.1') =>
      fetch(`${deployment.origin}${path}`, {
        redirect: 'manual',
        ...init,
        headers: { 'x-forwarded-for': address, ...(init.headers as Record<string, string> | undefined) },
      });
    const check = async (question: object) => {
      const response = await deployment.admin('POST', '/v1/check', question);
      expect(response.status).toBe(200);
      return (await response.json()) as { allowed: boolean; status?: string; remaining: number };
    };
    const cron = (secret: string) => call('/v1/cron/housekeeping', { headers: { authorization: `Bearer ${secret}` } });

    it('answer probes and assets', async () => {
      expect((await call('/healthz')).status).toBe(200);
      expect(await (await call('/readyz')).json()).toMatchObject({ status: 'ready' });
      const page = await (await call('/sign-in')).text();
      const [, asset = ''] = /"(\/_next\/static\/[^"]+[.]js)"/.exec(page) ?? [];
      expect((await call(asset)).status).toBe(200);
    });

    it('count requests that pass the middleware exactly, and no address that a client chooses', async () => {
      const address = someone();
      const statuses: number[] = [];
      for (let index = 0; index < 12; index += 1) {
        const chosen = { 'x-real-ip': `198.51.100.${index}`, 'x-vercel-forwarded-for': `198.51.100.${index}` };
        const response = await call('/auth/token', { method: 'POST', headers: chosen }, address);
        statuses.push(response.status);
        expect(response.headers.get('x-ratelimit-remaining')).toBe(String(Math.max(0, 9 - index)));
      }
      expect(statuses.map((status) => status === 429)).toEqual([...Array(10).fill(false), true, true]);
    });

    it('decide calls of the decision API exactly', async () => {
      const question = { class: 'auth', ip: someone() };
      for (let index = 0; index < 12; index += 1) expect((await check(question)).allowed).toBe(index < 10);
    });

    it('apply a change of one function to the next decision of all', async () => {
      const ip = someone();
      const entry = { type: 'ip', identifier: ip };
      for (let index = 0; index < 10; index += 1) await check({ class: 'auth', ip });
      for (let round = 0; round < 3; round += 1) {
        expect((await check({ class: 'auth', ip })).allowed).toBe(false);
        expect(
          (await deployment.admin('POST', '/v1/admin/rate-limit/allowlist', { ...entry, reason: 'test' })).status,
        ).toBe(200);
        expect((await check({ class: 'auth', ip })).allowed).toBe(true);
        expect((await call('/auth/token', { method: 'POST' }, ip)).status).not.toBe(429);
        expect((await deployment.admin('DELETE', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(204);
      }
    });

    it('lose no change that was acknowledged', async () => {
      const keys = await Promise.all(Array.from({ length: 8 }, () => createKeyOn(deployment, {})));
      const listed = (await (await deployment.admin('GET', '/v1/admin/api-keys')).json()) as { id: string }[];
      expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(keys.map(({ id }) => id)));
      const verified = await deployment.admin('GET', '/v1/admin/audit/verify');
      expect(await verified.json()).toMatchObject({ valid: true });
    });

    it('serve the console to a member who signs in, and nothing to others', async () => {
      const visitor = new Visitor(someone(), deployment);
      expect((await visitor.signIn(OWNER_EMAIL, 'a wrong password')).status).toBe(401);
      const signedIn = await visitor.signIn(OWNER_EMAIL, OWNER_PASSWORD);
      expect([signedIn.status, await signedIn.json()]).toEqual([200, { url: `${deployment.site}/` }]);
      expect(visitor.cookie).toContain('__Secure-');
      for (const page of Object.keys(CONSOLE_TITLES).filter((each) => !each.includes(':'))) {
        const response = await visitor.send('GET', page);
        expect([page, response.status]).toEqual([page, 200]);
        expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
        expect(await response.text()).toContain('</html>');
      }
      const changed = await visitor.call('POST', '/v1/admin/members', { email: 'eve@example.com', role: 'viewer' });
      expect(changed.status).toBe(201);
      expect((await call('/keys')).headers.get('location')).toContain('/sign-in');
    });

    it('rewrite to the application, which gets the fields of the platform only', async () => {
      const address = someone();
      const sent = { method: 'POST', body: 'a body', headers: { 'x-ratelimit-limit': '1', 'client-ip': '10.0.0.1' } };
      const response = await call('/orders/7?of=mine', sent, address);
      expect([response.status, await response.text()]).toEqual([200, 'the application at /orders/7?of=mine']);
      expect(response.headers.get('x-ratelimit-limit')).toBe('50');
      const seen = application.seen.at(-1);
      expect(seen?.body).toBe('a body');
      expect(seen?.headers).toMatchObject({ 'x-real-ip': address });
      expect(seen?.headers).not.toHaveProperty('client-ip');
      expect(seen?.headers).not.toHaveProperty('x-ratelimit-limit');
      expect((await call('/orders', { method: 'POST', body: 'x'.repeat(4_500_001) })).status).toBe(413);
    });

    it('raise alerts and send webhooks, when a scheduler calls and after a change', async () => {
      await using receiver = await WebhookReceiver.start();
      const set = async (method: string, path: string, body: object) => {
        const response = await deployment.admin(method, path, body);
        expect([path, response.status]).toEqual([path, response.status < 300 ? response.status : 200]);
      };
      await set('POST', '/v1/admin/webhooks', { name: 'hook', url: receiver.url });
      await set('PUT', '/v1/admin/alerts', { quota_threshold: { percent: [1] } });
      const key = await createKeyOn(deployment, {});
      await check({ class: 'read', api_key: key.secret, ip: someone(), cost: 20 });
      expect([(await cron('wrong')).status, (await cron(CRON_SECRET)).status]).toEqual([401, 200]);
      expect(receiver.types).toEqual(['quota.threshold']);
      await set('PUT', '/v1/admin/alerts', { quota_threshold: { enabled: false } });
      await until(() => receiver.types.includes('quota.threshold.resolved'));
    });

    it('write every decision to the statistics', async () => {
      await deployment.functions.idle();
      const count = async () => {
        const { rows } = await database.client.execute('select sum(count) from rollups where step = 60');
        return Number(rows[0]?.[0] ?? 0);
      };
      const database = project.sqld.open();
      const before = await count();
      killEvery = 4;
      for (let round = 0; round < 4; round += 1) {
        const checks = Array.from({ length: 5 }, () => check({ class: 'read', ip: someone() }));
        await Promise.all([...checks, ...checks.map(() => call('/orders', {}, someone()))]);
        await deployment.functions.idle();
      }
      killEvery = 20;
      expect(await count()).toBe(before + 40);
      database.close();
    });

    it('answer after their connections were closed while they were frozen', async () => {
      const ip = someone();
      for (let used = 1; used <= 3; used += 1) {
        await deployment.functions.idle();
        await project.redis.admin.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
        await wait(1_100);
        // A class that fails closed, so that no decision can be made without the store.
        expect(await check({ class: 'auth', ip })).toMatchObject({ allowed: true, remaining: 10 - used });
        const read = await call('/orders', {}, ip);
        expect(read.headers.get('x-ratelimit-remaining')).toBe(String(100 - used));
      }
    });

    it('log no fault', () => {
      expect(deployment.functions.killed).toBeGreaterThan(1);
      expect(deployment.functions.output).not.toMatch(/"level":"error"|waitUntil:/);
    });
  },
);

it.skipIf(partsAreMissing(`${suite}, ten functions`, 'sqld', 'redis'))(
  'ten functions at once admit exactly the limit',
  async () => {
    const project = await startProject();
    onTestFinished(() => project.stop());
    const deployment = await project.deploy({ instances: 10 });
    const start = () => fetch(`${deployment.origin}/readyz`);
    await start();
    expect((await Promise.all(Array.from({ length: 9 }, start))).map(({ status }) => status)).toEqual(
      Array(9).fill(200),
    );
    expect(deployment.functions.running).toBe(10);
    const key = await createKeyOn(deployment, { tier: 'free' });
    const burst = async (question: object, count: number) => {
      const answers = await Promise.all(
        Array.from({ length: count }, () => deployment.admin('POST', '/v1/check', question)),
      );
      const decisions = (await Promise.all(answers.map((answer) => answer.json()))) as { allowed: boolean }[];
      return decisions.filter(({ allowed }) => allowed).length;
    };
    expect(await burst({ class: 'auth', ip: someone() }, 60)).toBe(10);
    expect(await burst({ class: 'read', ip: someone() }, 150)).toBe(100);
    expect(await burst({ class: 'read', api_key: key.secret, ip: someone() }, 150)).toBe(100);
  },
);
