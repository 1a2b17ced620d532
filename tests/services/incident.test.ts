import { describe, expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAudit } from '@/lib/admin/audit-log/list';
import { listDecisions } from '@/lib/admin/decisions/list';
import { endIncident } from '@/lib/admin/incident/end';
import { getIncident } from '@/lib/admin/incident/get';
import { setIncident } from '@/lib/admin/incident/set';
import { createApiKey } from '@/lib/admin/keys/create';
import { explainDecision } from '@/lib/admin/limits/explain-decision';
import { putOverride } from '@/lib/admin/overrides/add';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { readStatistics } from '@/lib/admin/statistics/read';
import { createToken } from '@/lib/admin/tokens/create';
import { undoChange } from '@/lib/admin/undo/undo';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import type { Services } from '@/lib/operation/services';
import { type Answer, type CallOptions, call, expectInvalid } from '@/tests/fixtures/call';
import { decisionEvent } from '@/tests/fixtures/decision-event';
import { TEST_ADMIN_TOKEN } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const MINUTE = 60_000;
const later = (minutes: number) => new Date(here.clock.now + minutes * MINUTE).toISOString();
const start = (body: object = {}, options: CallOptions = {}) =>
  call(here.services, setIncident, {
    body: { mode: 'observe', until: later(60), reason: 'Customers are refused', ...body },
    ...options,
  });
const inForce = async () => (await call(here.services, getIncident)).json;
const end = (options: CallOptions = {}) => call(here.services, endIncident, options);
const undo = (seq: number) => call(here.services, undoChange, { params: { seq: String(seq) } });
const seqOf = ({ headers }: Answer) => Number(headers.get('X-Audit-Seq'));

async function decision(path: string, body: object | undefined, headers: object, services: Services) {
  const request = new Request(`http://localhost${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answerDecisionCall(services, buildDecisionCall(request));
}

const check = async (body: object, services = here.services) =>
  JSON.parse((await decision('/v1/check', body, {}, services)).body ?? '');
const READ = { class: 'read', ip: '203.0.113.7' };
const limitOfRead = (limit: number) =>
  call(here.services, patchPolicies, { body: { classes: { read: { ip: { limit } } } } });

describe('an incident', () => {
  it('is null until one is started, and says who, why and until when', async () => {
    expect(await inForce()).toBeNull();
    const { status, json } = await start();
    const incident = {
      mode: 'observe',
      factor: null,
      until: later(60),
      reason: 'Customers are refused',
      started_at: later(0),
      started_by: 'bootstrap',
    };
    expect([status, json]).toEqual([200, incident]);
    expect(await inForce()).toEqual(incident);
  });

  it('ends by itself to the millisecond, on every instance', async () => {
    await limitOfRead(0);
    const other = await here.another();
    await start({ until: later(15) });
    expect(await check(READ, other)).toMatchObject({ allowed: true, status: 'observing' });
    here.clock.advance(15 * MINUTE - 1);
    expect(await check(READ, other)).toMatchObject({ allowed: true, would_refuse: 'rate_limit_exceeded' });
    here.clock.advance(1);
    expect(await check(READ, other)).toMatchObject({ allowed: false });
    expect(await inForce()).toBeNull();
    expect((await end()).status).toBe(404);
  });

  it('is ended by hand, from the next decision on', async () => {
    await limitOfRead(0);
    await start();
    expect((await check(READ)).allowed).toBe(true);
    expect((await end()).status).toBe(204);
    expect((await check(READ)).allowed).toBe(false);
    expect(await inForce()).toBeNull();
  });

  it('needs an operator', async () => {
    const as = async (role: string) => {
      const { json } = await call(here.services, createToken, { body: { name: role, role } });
      return { Authorization: `Bearer ${json.token}` };
    };
    expect((await start({}, { headers: await as('viewer') })).status).toBe(403);
    expect((await start({}, { headers: await as('operator') })).status).toBe(200);
  });

  it('lasts 15 minutes to 24 hours, has a reason, and a factor where its mode takes one', async () => {
    expectInvalid(await start({ until: later(14.9) }));
    expectInvalid(await start({ until: later(24 * 60 + 1) }));
    expectInvalid(await start({ reason: ' ' }));
    expectInvalid(await start({ mode: 'factor' }));
    expectInvalid(await start({ factor: 2 }));
    for (const factor of [0.09, 10.01, 0.125]) expectInvalid(await start({ mode: 'factor', factor }));
    for (const factor of [0.1, 0.29, 10]) expect((await start({ mode: 'factor', factor })).status).toBe(200);
  });

  it('changes nothing in a dry run', async () => {
    const { status, json } = await start({}, { query: { dry_run: 'true' } });
    expect([status, json.changes[0].action]).toEqual([200, 'incident.start']);
    expect(await inForce()).toBeNull();
  });

  it('is audited and taken back', async () => {
    const started = seqOf(await start());
    const changed = seqOf(await start({ mode: 'read_only' }));
    const ended = seqOf(await end({ query: { reason: 'Over' } }));
    const actions = (await call(here.services, listAudit)).json.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(['incident.end', 'incident.change', 'incident.start']);

    expect((await undo(ended)).json.restored).toBe('The incident was restored.');
    expect(await inForce()).toMatchObject({ mode: 'read_only' });
    expect((await undo(changed)).status).toBe(200);
    expect(await inForce()).toMatchObject({ mode: 'observe' });
    expect((await undo(started)).json.restored).toBe('The incident has ended.');
    expect(await inForce()).toBeNull();
  });

  it('that is over is not brought back', async () => {
    await start({ until: later(15) });
    const ended = seqOf(await end());
    here.clock.advance(15 * MINUTE);
    expect((await undo(ended)).status).toBe(409);
  });
});

describe('while an incident', () => {
  it('observes, what would be refused is let through, uncounted and recorded', async () => {
    await limitOfRead(1);
    await start();
    expect(await check(READ)).toEqual({
      allowed: true,
      class: 'read',
      status: 'observing',
      limit: 1,
      remaining: 0,
      reset: expect.any(Number),
    });
    const over = await check(READ);
    expect(over).toMatchObject({ allowed: true, would_refuse: 'rate_limit_exceeded', remaining: 0 });
    expect(over).not.toHaveProperty('error');
    await here.services.statistics.flush();
    expect((await call(here.services, listDecisions)).json).toMatchObject([
      { outcome: 'observed', reason: 'rate_limit_exceeded', limit: 1, used: 1, source: 'policy' },
    ]);
    here.clock.advance(MINUTE);
    const { json } = await call(here.services, readStatistics);
    expect(json.totals).toMatchObject({ allowed: 1, observed: 1, refused: 0, reasons: {} });
    const { json: explained } = await call(here.services, explainDecision, { body: READ });
    expect(explained).toMatchObject({ incident: { mode: 'observe' }, decision: { allowed: true } });
  });

  it('multiplies limits, the next check is decided by the product, and explained by it', async () => {
    await limitOfRead(4);
    for (let sent = 0; sent < 3; sent += 1) await check(READ);
    await start({ mode: 'factor', factor: 0.5 });
    const { json } = await call(here.services, explainDecision, { body: READ });
    expect(json).toMatchObject({
      incident: { mode: 'factor', factor: 0.5 },
      subjects: [{ limit: 2, used: 3, refuses: true, source: { kind: 'policy', factor: 0.5 } }],
    });
    expect(json.subjects[0].source.detail).toContain('times 0.5 by the incident until');
    expect(await check(READ)).toMatchObject({ allowed: false, limit: 2, status: 'adjusted' });
    await start({ mode: 'factor', factor: 2 });
    expect(await check(READ)).toMatchObject({ allowed: true, limit: 8, remaining: 4 });
    await end();
    expect(await check(READ)).toMatchObject({ allowed: false, limit: 4 });
  });

  it('is read-only, writes wait for its end and reads are served', async () => {
    await start({ mode: 'read_only', until: later(30) });
    const write = { method: 'POST', path: '/api/orders', ip: '203.0.113.7' };
    expect(await check(write)).toMatchObject({
      allowed: false,
      error: 'service_unavailable',
      retry_after: 30 * 60,
      status: 'read_only',
      remaining: 50,
    });
    expect(await check({ ...write, method: 'GET' })).toMatchObject({ allowed: true, status: 'read_only' });
    const forwarded = { 'X-Forwarded-Method': 'DELETE', 'X-Forwarded-Uri': '/api/orders/7' };
    const { status, headers } = await decision('/v1/forward-auth', undefined, forwarded, here.services);
    expect([status, headers['X-RateLimit-Status'], headers['Retry-After']]).toEqual([503, 'read_only', '1800']);
    expect((await call(here.services, explainDecision, { body: write })).json).toMatchObject({
      cost: 1,
      decision: { allowed: false, error: 'service_unavailable' },
    });
  });
});

describe('the dry run of an incident says whom it would hit', () => {
  /** So many requests within one minute, ten minutes ago. */
  const burst = (requests: number, part: Parameters<typeof decisionEvent>[1]) => {
    for (let sent = 0; sent < requests; sent += 1)
      here.services.statistics.record(decisionEvent(here.clock.now - 10 * MINUTE, part));
  };
  const written = async () => {
    for (let n = 0; n < 10; n += 1) await here.services.statistics.flush();
  };
  const effectOf = async (answer: Promise<Answer>) => (await answer).json.changes[0].effect;
  const foreseen = (body: object) => effectOf(start(body, { query: { dry_run: 'true' } }));
  const half = { mode: 'factor', factor: 0.5 };

  it('by its factor, of addresses, users and keys, also of those with an override', async () => {
    expect(await foreseen(half)).toBe('In the last hour no request counted against a limit.');
    const { json: key } = await call(here.services, createApiKey, { body: { name: 'Reports', tier: 'free' } });
    burst(80, { ip: '203.0.113.7', apiKeyId: key.id });
    burst(40, { ip: '203.0.113.8' });
    burst(90, { ip: '203.0.113.9' });
    burst(95, { ip: '203.0.113.10' });
    await written();
    const body = { type: 'ip', class: 'read', window_seconds: 60, reason: 'Partner' };
    await call(here.services, putOverride, { body: { ...body, identifier: '203.0.113.9', limit: 120 } });
    await call(here.services, addAllowlistEntry, {
      body: { type: 'ip', identifier: '203.0.113.10', reason: 'Office' },
    });
    // Of .7 30 above 50, of .9 30 above 60; the office is not asked.
    const read = 'classes.read.ip: refuses 60 instead of 0 of 210 units in the last hour: 203.0.113.7 and 203.0.113.9.';
    const client = 'clients.confidential: refuses 30 instead of 0 of 80 units in the last hour: Reports.';
    expect(await foreseen(half)).toBe(`${read} ${client}`);
    expect(await foreseen({ mode: 'factor', factor: 2 })).toBe(
      "It would have refused as many of the last hour's requests as today's limits.",
    );
    expect(await inForce()).toBeNull();
  });

  it('as the replay of policies with those limits', async () => {
    burst(130, { ip: '203.0.113.7' });
    burst(70, { ip: '203.0.113.8', class: 'write' });
    await written();
    const limits = { read: { ip: { limit: 50 } }, write: { ip: { limit: 25 } } };
    const patch = call(here.services, patchPolicies, { body: { classes: limits }, query: { dry_run: 'true' } });
    expect(await foreseen(half)).toBe(await effectOf(patch));
  });

  it('in the place of another, and at its end', async () => {
    burst(90, { ip: '203.0.113.7' });
    await written();
    await start(half);
    expect(await foreseen({ mode: 'factor', factor: 0.25 })).toMatch(/refuses 65 instead of 40 of 90 units/);
    expect(await effectOf(end({ query: { dry_run: 'true' } }))).toMatch(/refuses 0 instead of 40 of 90 units/);
    expect(await foreseen(half)).toBeUndefined();
  });

  it('of writes while it is read-only, allowlisted ones too', async () => {
    const readOnly = { mode: 'read_only' };
    const none = 'In the last hour there was no request of the classes write and sensitive.';
    burst(50, { ip: '203.0.113.6' });
    await written();
    expect(await foreseen(readOnly)).toBe(none);
    burst(12, { ip: '203.0.113.7', class: 'write' });
    burst(3, { ip: '203.0.113.8', class: 'write' });
    burst(5, { ip: '203.0.113.9', class: 'write', outcome: 'bypassed', subjectType: 'ip', identifier: '203.0.113.9' });
    burst(1, { ip: null, userId: 'alice', class: 'sensitive' });
    await written();
    expect(await foreseen(readOnly)).toBe(
      "Of the last hour's requests it would have refused up to 20 of the class write (most of 203.0.113.7, 203.0.113.8) and up to 1 of the class sensitive (most of alice): all but those that only read.",
    );
    await start(readOnly);
    expect(await effectOf(end({ query: { dry_run: 'true' } }))).toBeUndefined();
  });

  it('while it observes, and when it observes no more', async () => {
    expect(await foreseen({})).toBe('In the last hour no limit and no quota refused a request.');
    burst(4, { ip: '203.0.113.7', outcome: 'refused', reason: 'rate_limit_exceeded' });
    burst(9, { ip: '203.0.113.7', outcome: 'refused', reason: 'invalid_api_key' });
    await written();
    expect(await foreseen({})).toBe(
      '4 requests that limits and quotas refused in the last hour would have been let through.',
    );
    await start();
    burst(1, { ip: '203.0.113.7', outcome: 'observed', reason: 'rate_limit_exceeded' });
    await written();
    expect(await effectOf(end({ query: { dry_run: 'true' } }))).toBe(
      '1 request that was only observed in the last hour would have been refused.',
    );
  });
});
