import { describe, expect, it } from 'vitest';
import { listExceptions } from '@/lib/admin/exceptions/list';
import { setIncident } from '@/lib/admin/incident/set';
import { createApiKey } from '@/lib/admin/keys/create';
import { explainDecision } from '@/lib/admin/limits/explain-decision';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { createLimit } from '@/lib/admin/named-limits/create';
import { listLimits } from '@/lib/admin/named-limits/list';
import { removeLimit } from '@/lib/admin/named-limits/remove';
import { updateLimit } from '@/lib/admin/named-limits/update';
import { putOverride } from '@/lib/admin/overrides/add';
import { listOverrides } from '@/lib/admin/overrides/list';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { applyState } from '@/lib/admin/state/apply';
import { planState } from '@/lib/admin/state/plan';
import { readState } from '@/lib/admin/state/read';
import { undoChange } from '@/lib/admin/undo/undo';
import { runBatch } from '@/lib/api/operations';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { type Answer, call, expectInvalid } from '@/tests/fixtures/call';
import { TEST_ADMIN_TOKEN } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const NUMBER = '+4915112345678';
const SMS = { name: 'sms', windows: [{ limit: 1, seconds: 60 }] };
const OVERRIDE = {
  type: 'subject',
  identifier: NUMBER,
  limit_name: 'sms',
  windows: [
    { limit: 3, seconds: 60 },
    { limit: 5, seconds: 3_600 },
  ],
  reason: 'Support line',
};
const TARGET = { type: 'subject', identifier: NUMBER, limit_name: 'sms' };

async function check(limits: object[], more: object = {}) {
  const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ limits, ...more });
  const request = new Request('http://localhost:3000/v1/check', { method: 'POST', headers, body });
  return JSON.parse((await answerDecisionCall(here.services, buildDecisionCall(request))).body || 'null');
}
const limitOf = async (subject: string | undefined = NUMBER, more: object = {}) =>
  (await check([{ name: 'sms', ...(subject !== '' && { subject }) }], more)).limits?.[0].limit;
const create = (limit: object = SMS) => call(here.services, createLimit, { body: limit });
const put = (more: object = {}, options: object = {}) =>
  call(here.services, putOverride, { body: { ...OVERRIDE, ...more }, ...options });
const remove = (more: object = {}) => call(here.services, removeOverride, { body: { ...TARGET, ...more } });
const list = async (query: object = {}) => (await call(here.services, listOverrides, { query: { ...query } })).json;
const undo = ({ headers }: Answer) =>
  call(here.services, undoChange, { params: { seq: String(headers.get('X-Audit-Seq')) } });

/** Expects a 400 that names a field. */
function expectFault(answer: Answer, path: string): void {
  expectInvalid(answer);
  expect(answer.json.details).toContainEqual({ path, message: expect.any(String) });
}

describe('an override of a named limit', () => {
  it('gives one subject its own numbers, from the next check until its removal', async () => {
    await create();
    expect(await limitOf()).toBe(1);
    const answer = await put();
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.json).toEqual({
      ...OVERRIDE,
      ...{ id: expect.any(String), class: null, limit: 3, window_seconds: 60 },
      ...{ expires_at: null, created_at: formatTimestamp(here.clock.now), created_by: 'bootstrap', last_used_at: null },
    });
    // The window of the same length keeps its count.
    expect(await check([{ name: 'sms', subject: NUMBER }])).toMatchObject({ allowed: true, limit: 3, remaining: 1 });
    expect(await limitOf('+49152')).toBe(1);
    expect(await list()).toMatchObject([{ identifier: NUMBER, limit_name: 'sms', class: null }]);
    expect(await list({ limit_name: 'other' })).toEqual([]);
    const limits = (await call(here.services, listLimits)).json;
    expect(limits).toMatchObject([{ used_by: { overrides: 1 } }]);
    expect((await remove()).status).toBe(204);
    expect(await limitOf()).toBe(1);
    expect((await remove()).status).toBe(404);
  });

  it('ends by itself, keeps its id when it is set again, and is undone', async () => {
    await create();
    const { json: first } = await put({ expires_at: formatTimestamp(here.clock.now + 60_000) });
    const again = await put({ windows: [{ limit: 9, seconds: 60 }], expires_at: null });
    expect(again.json.id).toBe(first.id);
    expect(await limitOf()).toBe(9);
    expect((await undo(again)).status).toBe(200);
    expect(await limitOf()).toBe(3);
    here.clock.advance(60_001);
    expect(await limitOf()).toBe(1);
    const removed = await put();
    expect((await undo(removed)).status).toBe(200);
    expect(await list()).toEqual([]);
    expect(await limitOf()).toBe(1);
  });

  it('takes precedence over the numbers of the key, its tier and the limit', async () => {
    await create({ ...SMS, tiers: { starter: [{ limit: 20, seconds: 60 }] } });
    const { json: key } = await call(here.services, createApiKey, { body: { name: 'Reports', tier: 'starter' } });
    const own = { api_key: key.secret };
    expect(await limitOf('', own)).toBe(20);
    expect(await limitOf(NUMBER, own)).toBe(20);
    await put();
    expect(await limitOf(NUMBER, own)).toBe(3);
    await put({ identifier: key.id, windows: [{ limit: 7, seconds: 60 }] });
    expect(await limitOf('', own)).toBe(7);
    const until = formatTimestamp(here.clock.now + 3_600_000);
    await call(here.services, setIncident, { body: { mode: 'factor', factor: 2, until, reason: 'Sale' } });
    expect(await limitOf('', own)).toBe(14);
  });

  it('can change the places of a limit that has some', async () => {
    await create();
    await create({ name: 'exports', in_flight: { limit: 1, lease_seconds: 60 } });
    const inFlight = { limit: 2, lease_seconds: 60 };
    await put({ limit_name: 'exports', windows: undefined, in_flight: inFlight });
    const exports = [{ name: 'exports', subject: NUMBER }];
    expect([await check(exports), await check(exports), await check(exports)]).toMatchObject([
      { allowed: true, limit: 2 },
      { allowed: true },
      { allowed: false, limit_name: 'exports' },
    ]);
    expectFault(await put({ in_flight: inFlight }), 'in_flight');
  });

  it('is named by explanation, inspection, decisions and the list of exceptions', async () => {
    await create();
    const { json: override } = await put({ windows: [{ limit: 0, seconds: 60 }] });
    const limits = [{ name: 'sms', subject: NUMBER }];
    const { json: explained } = await call(here.services, explainDecision, { body: { limits } });
    const source = { kind: 'override', id: override.id, identifier: NUMBER, reason: 'Support line' };
    expect(explained.subjects).toMatchObject([{ limit_name: 'sms', limit: 0, refuses: true, source }]);
    const query = { type: 'subject', identifier: NUMBER };
    const { json: inspected } = await call(here.services, inspectCounters, { query });
    expect(inspected.counters).toMatchObject([{ limit_name: 'sms', limit: 0, source }]);
    await check(limits);
    await here.services.statistics.flush();
    expect((await list())[0].last_used_at).not.toBeNull();
    const { json: exceptions } = await call(here.services, listExceptions, { query: {} });
    expect(exceptions).toMatchObject([
      { kind: 'override', type: 'subject', class: null, limit_name: 'sms', limit: 0, windows: [{ limit: 0 }] },
    ]);
  });

  it('has a preview that says what is used, and who loses it with the limit', async () => {
    await create();
    await limitOf();
    const previewed = async (answer: Promise<Answer>) => (await answer).json.changes[0].effect;
    const dry = { query: { dry_run: 'true' } };
    expect(await previewed(put({}, dry))).toBe('Used now: 1 of 3 in 1 minute, 0 of 5 in 1 hour.');
    expect(await previewed(put({ windows: [{ limit: 0, seconds: 60 }] }, dry))).toBe(
      'Every check of this subject is refused.',
    );
    expect(await list()).toEqual([]);
    await put();
    const removal = call(here.services, removeLimit, { params: { name: 'sms' }, ...dry });
    expect(await previewed(removal)).toBe(
      '0 route rules, 0 API keys and 1 override name it and go on without it. Checks that name it get 400.',
    );
  });

  it('stays without effect while its limit is removed, and comes back with it', async () => {
    await create();
    await put();
    const removal = await call(here.services, removeLimit, { params: { name: 'sms' } });
    expect((await check([{ name: 'sms', subject: NUMBER }])).error).toBe('invalid_request');
    expect(await list()).toHaveLength(1);
    expectFault(await put({ reason: 'Again' }), 'limit_name');
    // What was read can be applied, and changes nothing.
    const { json: state } = await call(here.services, readState);
    expect((await call(here.services, planState, { body: state })).json.changes).toEqual([]);
    expect((await undo(removal)).status).toBe(200);
    expect(await limitOf()).toBe(3);
    await call(here.services, updateLimit, { params: { name: 'sms' }, body: { windows: [{ limit: 2, seconds: 60 }] } });
    expect(await limitOf()).toBe(3);
    expect((await call(here.services, removeLimit, { params: { name: 'sms' } })).status).toBe(204);
    expect((await remove()).status).toBe(204);
  });

  it('is part of the state document', async () => {
    await create();
    await put();
    const { json: state } = await call(here.services, readState);
    const { type, identifier, limit_name, windows, reason } = OVERRIDE;
    expect(state.overrides).toEqual([{ type, identifier, limit_name, windows, reason, expires_at: null }]);
    expect((await call(here.services, planState, { body: state })).json.changes).toEqual([]);
    const edited = [{ ...state.overrides[0], windows: [{ limit: 8, seconds: 60 }] }];
    const body = { version: 1, overrides: edited };
    const { json: plan } = await call(here.services, planState, { body });
    expect(plan.changes).toMatchObject([
      { action: 'update', kind: 'overrides', id: `subject ${NUMBER} sms`, effect: 'Used now: 0 of 8 in 1 minute.' },
    ]);
    expect((await call(here.services, applyState, { body })).status).toBe(200);
    expect(await limitOf()).toBe(8);
    const foreign = { version: 1, overrides: [{ ...edited[0], identifier: 'x', limit_name: 'none' }] };
    expectFault(await call(here.services, planState, { body: foreign }), 'overrides.0.limit_name');
    const prune = { body: { version: 1, overrides: [] }, query: { prune: 'true' } };
    expect((await call(here.services, applyState, prune)).json.changes).toMatchObject([{ action: 'delete' }]);
    expect(await limitOf('+4917')).toBe(1);
  });

  it('is set, extended and removed by a batch', async () => {
    await create();
    const run = (operation: string, item: object) =>
      call(here.services, runBatch, { body: { operation, items: [item] } });
    expect((await run('putOverride', OVERRIDE)).json.results).toMatchObject([{ status: 200 }]);
    const end = formatTimestamp(here.clock.now + 60_000);
    await run('extendOverride', { ...TARGET, expires_at: end });
    expect(await list()).toMatchObject([{ windows: OVERRIDE.windows, expires_at: end, reason: 'Support line' }]);
    expect((await run('removeOverride', TARGET)).json.results).toMatchObject([{ status: 204 }]);
  });

  it.each([
    ['limit_name', { limit_name: 'unknown' }],
    ['limit_name', { limit_name: undefined }],
    ['limit_name', { limit_name: 'No Name' }],
    ['limit_name', { type: 'ip', identifier: '192.0.2.1', class: 'read' }],
    ['class', { class: 'read' }],
    ['class', { type: 'user_id', limit_name: undefined, windows: undefined, limit: 1, window_seconds: 1 }],
    ['identifier', { identifier: '' }],
    ['identifier', { identifier: 'x'.repeat(257) }],
    ['identifier', { identifier: 'a\u0000' }],
    ['windows', { windows: undefined }],
    ['windows', { windows: [] }],
    ['windows', { windows: Array.from({ length: 5 }, (_, index) => ({ limit: 1, seconds: index + 1 })) }],
    ['windows', { type: 'ip', identifier: '192.0.2.1', class: 'read', limit_name: undefined }],
    ['windows.1.seconds', { windows: [...OVERRIDE.windows].reverse() }],
    ['windows.1.seconds', { windows: [OVERRIDE.windows[0], OVERRIDE.windows[0]] }],
    ['windows.0.seconds', { windows: [{ limit: 1, seconds: 90 * 86_400 + 1 }] }],
    ['windows.0.limit', { windows: [{ limit: -1, seconds: 60 }] }],
    ['windows.0.limit', { windows: [{ limit: 1.5, seconds: 60 }] }],
    ['windows.0.day', { windows: [{ limit: 1, seconds: 60, day: 2 }] }],
    ['limit', { limit: 5 }],
    ['window_seconds', { window_seconds: 60 }],
    ['in_flight.lease_seconds', { in_flight: { limit: 1, lease_seconds: 3_601 } }],
    ['expires_at', { expires_at: formatTimestamp(0) }],
  ])('is refused with 400 at %s for %j, and changes nothing', async (path, more) => {
    await create();
    const answer = await put(more);
    expectFault(answer, path);
    expect(await list()).toEqual([]);
    expect(await limitOf()).toBe(1);
  });
});
