import { describe, expect, it } from 'vitest';
import { createApiKey } from '@/lib/admin/keys/create';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { undoChange } from '@/lib/admin/undo/undo';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { isCountedAnswer } from '@/lib/enforcement/settlements';
import { parseAddress } from '@/lib/limiter/address';
import { call } from '@/tests/fixtures/call';
import { respell } from '@/tests/fixtures/respell';
import { TEST_ADMIN_TOKEN } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

/** Sends a body, as the bootstrap token. */
async function send(path: string, body: unknown, services = here.services) {
  const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'content-type': 'application/json' };
  const request = new Request(`http://localhost:3000${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await answerDecisionCall(services, buildDecisionCall(request));
  return { status: answer.status, headers: answer.headers, json: JSON.parse(answer.body || 'null') };
}
const check = async (body: object) => (await send('/v1/check', { class: 'auth', refundable: true, ...body })).json;
const refund = (id: unknown) => send('/v1/refund', { id });
const aKey = async () => {
  const { json } = await call(here.services, createApiKey, { body: { name: 'Reports', tier: 'free' } });
  return { id: json.id as string, secret: json.secret as string };
};

describe('a refund', () => {
  it('gives back what the request has consumed, limits and quota', async () => {
    const key = await aKey();
    const who = { ip: '203.0.113.9', user_id: 'alice', api_key: key.secret };
    const { id, remaining, quota } = await check({ ...who, cost: 4 });
    expect([remaining, quota.remaining]).toEqual([6, 996]);
    expect(await refund(id)).toMatchObject({ status: 200, json: { refunded: true } });
    const again = await check(who);
    expect([again.remaining, again.quota.remaining]).toEqual([9, 999]);
  });

  it('makes room at once where the limit was used up', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 10; i += 1) ids.push((await check({ ip: '203.0.113.9' })).id);
    expect(new Set(ids).size).toBe(10);
    expect(await check({ ip: '203.0.113.9' })).toMatchObject({ allowed: false });
    expect((await refund(ids[3])).status).toBe(200);
    expect(await check({ ip: '203.0.113.9' })).toMatchObject({ allowed: true, remaining: 0 });
    expect(await check({ ip: '203.0.113.9' })).toMatchObject({ allowed: false });
  });

  it('happens once, also at another instance', async () => {
    const { id } = await check({ ip: '203.0.113.9' });
    expect((await send('/v1/refund', { id }, await here.another())).status).toBe(200);
    const second = await refund(id);
    expect([second.status, second.json.error]).toEqual([409, 'conflict']);
    expect(await check({ ip: '203.0.113.9' })).toMatchObject({ remaining: 9 });
  });

  it('knows an id in its one spelling only', async () => {
    const { id } = await check({ ip: '203.0.113.9', cost: 2 });
    for (const spelling of respell(id)) expect([spelling, (await refund(spelling)).status]).toEqual([spelling, 404]);
    expect((await refund(id)).status).toBe(200);
    for (const spelling of respell(id)) expect((await refund(spelling)).status).toBe(404);
    expect(await check({ ip: '203.0.113.9' })).toMatchObject({ remaining: 9 });
  });

  it('gives back what a reset had cleared and its undoing brought back', async () => {
    const { id } = await check({ ip: '203.0.113.9', cost: 4 });
    const reset = await call(here.services, resetCounters, { body: { type: 'ip', identifier: '203.0.113.9' } });
    const seq = String(reset.headers.get('x-audit-seq'));
    await call(here.services, undoChange, { params: { seq } });
    expect(await check({ ip: '203.0.113.9' })).toMatchObject({ remaining: 5 });
    expect(await refund(id)).toMatchObject({ status: 200, json: { refunded: true } });
    expect(await check({ ip: '203.0.113.9' })).toMatchObject({ remaining: 8 });
  });

  it('is possible for 60 seconds', async () => {
    const { id } = await check({ ip: '203.0.113.9' });
    const { id: other } = await check({ ip: '203.0.113.9' });
    here.clock.advance(60_000);
    expect((await refund(id)).status).toBe(200);
    here.clock.advance(1);
    expect((await refund(other)).json.error).toBe('not_found');
  });

  it('of another id is not found, and tells nothing', async () => {
    const { id } = await check({ ip: '203.0.113.9' });
    const changed = `${id.slice(0, 20)}${id[20] === 'A' ? 'B' : 'A'}${id.slice(21)}`;
    for (const unknown of [changed, id.slice(0, -4), 'x', 'é', `${id}A`]) {
      const { status, json } = await refund(unknown);
      expect([unknown, status, json.error]).toEqual([unknown, 404, 'not_found']);
    }
    for (const invalid of ['', 7, null, 'x'.repeat(16_385)]) {
      expect((await refund(invalid)).json.error).toBe('invalid_request');
    }
    expect((await refund(id)).status).toBe(200);
  });

  it('takes nothing back from counters that were reset since', async () => {
    const key = await aKey();
    const who = { ip: '203.0.113.9', user_id: 'alice', api_key: key.secret };
    const { id } = await check({ ...who, cost: 3 });
    await call(here.services, resetCounters, { body: { type: 'ip', identifier: '203.0.113.0/24' } });
    await call(here.services, resetQuota, { params: { api_key: key.id } });
    await check({ ...who, cost: 5 });
    expect((await refund(id)).status).toBe(200);
    const reset = await check({ ip: '203.0.113.9' });
    expect(reset.remaining).toBe(4);
    const { quota } = await check({ api_key: key.secret });
    expect(quota.remaining).toBe(1_000 - 5 - 1);
    // The user was not reset: 50 less 5 and this one.
    expect((await check({ user_id: 'alice' })).remaining).toBe(44);
  });

  it('is offered where asked for, and only for what is allowed', async () => {
    expect((await send('/v1/check', { class: 'read', ip: '203.0.113.9' })).json).not.toHaveProperty('id');
    expect(await check({ ip: '203.0.113.9', cost: 11 })).not.toHaveProperty('id');
    const { json } = await send('/v1/check/batch', [
      { class: 'auth', ip: '203.0.113.9', refundable: true },
      { class: 'auth', ip: '203.0.113.9', refundable: false },
    ]);
    expect(json.map(({ id }: { id?: string }) => id !== undefined)).toEqual([true, false]);
    expect((await refund(json[0].id)).status).toBe(200);
  });

  it('follows by itself where the route rule counts only some answers', async () => {
    const rules = [
      { method: 'POST', path: '/login', class: 'auth', counts: 'failures' },
      { method: '*', path: '/orders', class: 'auth', counts: 'successes' },
    ];
    await call(here.services, replaceRouteRules, { body: rules });
    const { json } = await send('/v1/check', { method: 'POST', path: '/login', ip: '203.0.113.9' });
    expect(json).toMatchObject({ counts: 'failures', remaining: 9 });
    expect((await refund(json.id)).status).toBe(200);
    const { engine, settlements } = here.services;
    const used = async (path: string, status: number) => {
      const address = parseAddress('203.0.113.9');
      const { charged } = await engine.decide({ method: 'POST', path, address, requestId: null });
      if (charged === undefined) throw new Error('Nothing can be given back.');
      if (!isCountedAnswer(charged, status)) await settlements.refund(settlements.createId(charged));
      return 10 - (await check({ ip: '203.0.113.9', refundable: false })).remaining - 1;
    };
    // Each look at what is left counts one itself.
    expect(await used('/login', 302)).toBe(0);
    expect(await used('/login', 401)).toBe(2);
    expect(await used('/orders', 503)).toBe(3);
    expect(await used('/orders', 200)).toBe(5);
  });

  it('has its id in a header for a reverse proxy, which is told where only some answers count', async () => {
    const ask = async (query: string, path = '/api/x') => {
      const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'x-forwarded-uri': path };
      const request = new Request(`http://localhost:3000/v1/forward-auth${query}`, { headers });
      return answerHeaders(request, 'X-RateLimit-Refund-Id');
    };
    const answerHeaders = async (request: Request, name: string) =>
      (await answerDecisionCall(here.services, buildDecisionCall(request))).headers[name];
    expect(await ask('')).toBeUndefined();
    const id = await ask('?refundable=true');
    expect((await refund(id)).status).toBe(200);
    for (let i = 0; i < 10; i += 1) await ask('', '/auth/token');
    expect(await ask('?refundable=true', '/auth/token')).toBe('');

    const rules = [{ method: '*', path: '/login', class: 'write', counts: 'failures' }];
    expect((await call(here.services, replaceRouteRules, { body: rules })).status).toBe(200);
    const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'x-forwarded-uri': '/login' };
    const login = () => new Request('http://localhost:3000/v1/forward-auth', { headers });
    expect(await answerHeaders(login(), 'X-RateLimit-Counts')).toBe('failures');
    expect((await refund((await ask('', '/login')) ?? '')).status).toBe(200);
  });
});
