import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RouteRule } from '@/client/api';
import { SluiceError } from '@/client/error';
import { Sluice, type SluiceOptions } from '@/client/sluice';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { DEFAULT_POLICIES } from '@/lib/contract/policies';
import type { EndpointClass } from '@/lib/limiter/meter';
import { call } from '@/tests/fixtures/call';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { type Behaviour, faultySluice } from '@/tests/fixtures/faulty-sluice';
import { TEST_ADMIN_TOKEN, testServices } from '@/tests/fixtures/services';

const READ = { class: 'read', ip: '203.0.113.7' } as const;
const cut: Behaviour = (request) => void request.socket.destroy();

describe('what answers instead', () => {
  const asked = async (onUnreachable: SluiceOptions['onUnreachable'], name: 'auth' | 'read' = 'read') => {
    const { sluice } = await faultySluice(cut, { onUnreachable });
    return sluice.check({ class: name, ip: '203.0.113.7' });
  };

  it('can be told for all, by class and by check', async () => {
    expect(await asked('allow')).toMatchObject({ allowed: true, limit: null });
    expect(await asked('deny')).toMatchObject({ allowed: false });
    expect(await asked({ read: 'deny' })).toMatchObject({ allowed: false });
    expect(await asked({ read: 'deny' }, 'auth')).toMatchObject({ allowed: false });
    expect(await asked({ auth: 'allow' }, 'auth')).toMatchObject({ allowed: true });
    expect(await asked(({ class: name }) => (name === 'read' ? 'allow' : 'deny'))).toMatchObject({ allowed: true });
    const own = { allowed: true, class: 'read' as const, limit: 9, remaining: 7, reset: 0 };
    expect(await asked(() => own)).toEqual(own);
  });

  it('is an exception only where it is asked for', async () => {
    const error = await asked('throw').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SluiceError);
    expect(error).toMatchObject({ code: 'unreachable', status: 0, requestId: null });
    await expect(asked({ read: 'throw' })).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('is what the policies say of the class, unless it is told', async () => {
    const policies = structuredClone(DEFAULT_POLICIES);
    policies.classes.read.on_store_failure = 'closed';
    policies.classes.auth.on_store_failure = 'local';
    const { sluice } = await faultySluice(cut, { policies });
    const ask = (name: EndpointClass, of = sluice) => of.check({ class: name, ip: '203.0.113.7' });
    expect(await ask('read')).toMatchObject({ allowed: false, error: 'service_unavailable', retry_after: 1 });
    expect(await ask('auth')).toMatchObject({ allowed: true, status: 'unreachable', limit: 5 });
    expect(await ask('sensitive')).toMatchObject({ allowed: false, error: 'service_unavailable' });
    expect(await ask('write')).toMatchObject({ allowed: true, limit: 25 });
    const told = await faultySluice(cut, { policies, onUnreachable: { read: 'local' } });
    expect(await ask('read', told.sluice)).toMatchObject({ allowed: true, limit: 50 });
    expect(await ask('auth', told.sluice)).toMatchObject({ allowed: true, limit: 5 });
  });

  it('takes half of the limits that it is given', async () => {
    const policies = { classes: { read: { ip: { limit: 3, window_seconds: 60 } } } };
    const { sluice } = await faultySluice(cut, { policies });
    const answers = [await sluice.check(READ), await sluice.check(READ)];
    expect(answers.map(({ allowed }) => allowed)).toEqual([true, false]);
  });
});

describe('the class of a check that names none', () => {
  const TRANSFER = { method: 'POST', path: '/api/transfers/7', ip: '203.0.113.7' };
  const RULES: RouteRule[] = [{ method: 'POST', path: '/api/transfers/:id', class: 'sensitive', cost: 2 }];
  const CLOSED = { allowed: false, status: 'unreachable', class: 'sensitive', error: 'service_unavailable' };

  /** A client of a real server with these rules, which can be stopped. */
  async function served(options: Partial<SluiceOptions> = {}) {
    const place = await testServices();
    const server = await decisionServer(place.services);
    onTestFinished(async () => {
      await server.stop();
      place[Symbol.dispose]();
    });
    expect((await call(place.services, replaceRouteRules, { body: RULES })).status).toBe(200);
    const sluice = new Sluice({ url: server.url, token: TEST_ADMIN_TOKEN, timeout: 60_000, ...options });
    return { sluice, stop: server.stop };
  }

  it('is the one that the server has answered for it', async () => {
    const { sluice, stop } = await served();
    expect(await sluice.check(TRANSFER)).toMatchObject({ allowed: true, class: 'sensitive', remaining: 28 });
    await stop();
    expect(await sluice.check({ ...TRANSFER, ip: '203.0.113.8' })).toMatchObject(CLOSED);
    expect(await sluice.check({ ...TRANSFER, path: '/api/orders' })).toMatchObject({ allowed: true, class: 'write' });
  });

  it('is that of the route rules where nobody has asked before, from the first check on', async () => {
    const { sluice, stop } = await served({ routeRules: RULES });
    await stop();
    expect(await sluice.check(TRANSFER)).toMatchObject(CLOSED);
    expect(await sluice.check({ ...TRANSFER, path: '/api/orders' })).toMatchObject({ allowed: true, class: 'write' });
  });

  it('decides what `onUnreachable` says, and the cost what is counted', async () => {
    const asked: (string | undefined)[] = [];
    const { sluice } = await faultySluice(cut, {
      routeRules: RULES,
      onUnreachable: ({ class: name }) => {
        asked.push(name);
        return 'local';
      },
    });
    expect(await sluice.check(TRANSFER)).toMatchObject({ allowed: true, class: 'sensitive', limit: 15, remaining: 13 });
    expect(asked).toEqual(['sensitive']);
    const byClass = await faultySluice(cut, { routeRules: RULES, onUnreachable: { sensitive: 'throw' } });
    await expect(byClass.sluice.check(TRANSFER)).rejects.toBeInstanceOf(SluiceError);
  });
});

describe('metrics', () => {
  it('that throw decide nothing', async () => {
    const onEvent = () => {
      throw new Error('metrics');
    };
    const { sluice } = await faultySluice(cut, { onEvent });
    expect(await sluice.check(READ)).toMatchObject({ allowed: true });
  });

  it('are not there: a token that is refused is told once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { sluice } = await faultySluice((_, response) => void response.writeHead(401).end(), { onEvent: undefined });
    await sluice.check(READ);
    await sluice.check(READ);
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });
});

it('a client that cannot work is not made', () => {
  const make = (options: Partial<SluiceOptions>) => () =>
    new Sluice({ url: 'http://sluice.test', token: 't', ...options });
  expect(make({ url: 'sluice.test' })).toThrow('`url`');
  expect(make({ token: undefined })).toThrow('`token`');
  expect(make({ timeout: 0 })).toThrow('`timeout`');
  expect(make({ batch: { size: 1_001 } })).toThrow('`batch.size`');
  expect(make({ batch: { requests: 0 } })).toThrow('`batch.requests`');
});

it('a client that is logged does not show its token', () => {
  const sluice = new Sluice({ url: 'http://sluice.test', token: 'a-token-of-some-length' });
  expect(inspect(sluice, { depth: 9, showHidden: true }) + JSON.stringify(sluice)).not.toContain(
    'a-token-of-some-length',
  );
});
