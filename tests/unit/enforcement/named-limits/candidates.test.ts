import { describe, expect, it } from 'vitest';
import { listCandidates } from '@/lib/admin/candidates/list';
import { promoteCandidate } from '@/lib/admin/candidates/promote';
import { removeCandidate } from '@/lib/admin/candidates/remove';
import { setCandidate } from '@/lib/admin/candidates/set';
import { createApiKey } from '@/lib/admin/keys/create';
import { updateApiKey } from '@/lib/admin/keys/update';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { createLimit } from '@/lib/admin/named-limits/create';
import { getLimit } from '@/lib/admin/named-limits/get';
import { removeLimit } from '@/lib/admin/named-limits/remove';
import { putOverride } from '@/lib/admin/overrides/add';
import { undoChange } from '@/lib/admin/undo/undo';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { type Answer, call, expectInvalid } from '@/tests/fixtures/call';
import { TEST_ADMIN_TOKEN } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const SMS = { name: 'sms', windows: [{ limit: 100, seconds: 60 }] };
const NEW = {
  place: 'limits.sms',
  windows: [
    { limit: 2, seconds: 10 },
    { limit: 3, seconds: 3_600 },
  ],
  reason: 'Is it enough?',
};
const EXPORTS = { name: 'exports', in_flight: { limit: 5, lease_seconds: 60 } };

async function send(path: string, body: object) {
  const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await answerDecisionCall(
    here.services,
    buildDecisionCall(new Request(`http://localhost:3000${path}`, init)),
  );
  return JSON.parse(answer.body || 'null');
}
const check = (subject: string, more: object = {}) =>
  send('/v1/check', { limits: [{ name: 'sms', subject, ...more }] });
const create = (limit: object = SMS) => call(here.services, createLimit, { body: limit });
const set = (more: object = {}) => call(here.services, setCandidate, { body: { ...NEW, ...more } });
const remove = () => call(here.services, removeCandidate, { body: { place: NEW.place } });
const promote = (more: object = {}) => call(here.services, promoteCandidate, { body: { place: NEW.place, ...more } });
const windowsOf = async (name = 'sms') => (await call(here.services, getLimit, { params: { name } })).json.windows;
const undo = ({ headers }: Answer) =>
  call(here.services, undoChange, { params: { seq: String(headers.get('X-Audit-Seq')) } });
async function list() {
  await here.services.statistics.flush();
  return (await call(here.services, listCandidates)).json;
}

describe('a candidate of a named limit', () => {
  it('counts what it would have refused, by subject and since when, and refuses nothing', async () => {
    await create();
    for (let sent = 0; sent < 3; sent += 1) await check('+491');
    const answer = await set();
    expect(answer).toMatchObject({ status: 200 });
    const candidate = {
      ...NEW,
      ...{ id: expect.stringMatching(/^c\w+$/), limit: 2, window_seconds: 10, ends_at: null },
      ...{ created_at: formatTimestamp(here.clock.now), created_by: 'bootstrap' },
      live: { limit: 100, window_seconds: 60, windows: SMS.windows },
    };
    const empty = { requests: 0, would_refuse: 0, would_allow: 0, identifiers: 0, first: null, top: [] };
    expect(answer.json).toEqual({ ...candidate, ...empty });
    const allowed = [await check('+491'), await check('+491'), await check('+491'), await check('+492')];
    expect(allowed.map((one) => one.allowed)).toEqual([true, true, true, true]);
    expect(await list()).toMatchObject([
      { ...candidate, requests: 4, would_refuse: 1, identifiers: 1, first: { identifier: '+491', would_refuse: 1 } },
    ]);
    // Its second window has room for one more.
    here.clock.advance(11_000);
    await check('+491');
    await check('+491');
    expect(await list()).toMatchObject([{ requests: 6, would_refuse: 2 }]);
    await call(here.services, resetCounters, { body: { type: 'subject', identifier: '+491' } });
    await check('+491');
    expect(await list()).toMatchObject([{ requests: 7, would_refuse: 2 }]);
  });

  it('uses the cost of the check, and is settled and refunded with it', async () => {
    await create({ name: 'sms', unit: 'tokens', windows: [{ limit: 10_000, seconds: 60 }] });
    await set({ windows: [{ limit: 100, seconds: 60 }] });
    const body = { limits: [{ name: 'sms', subject: 'a', cost: 90 }] };
    const { id } = await send('/v1/check', { ...body, settle: true });
    await send('/v1/settle', { id, costs: { sms: 5 } });
    const second = await send('/v1/check', { ...body, refundable: true });
    await send('/v1/refund', { id: second.id });
    await send('/v1/check', body);
    expect(await list()).toMatchObject([{ requests: 3, would_refuse: 0 }]);
    await send('/v1/check', body);
    expect(await list()).toMatchObject([{ requests: 4, would_refuse: 1 }]);
  });

  it('tries places, which a settlement frees', async () => {
    await create(EXPORTS);
    await set({ place: 'limits.exports', windows: undefined, in_flight: { limit: 1, lease_seconds: 60 } });
    const ask = { limits: [{ name: 'exports', subject: 'a' }] };
    const { id } = await send('/v1/check', ask);
    await send('/v1/settle', { id });
    await send('/v1/check', ask);
    expect(await list()).toMatchObject([{ requests: 2, would_refuse: 0 }]);
    expect(await send('/v1/check', ask)).toMatchObject({ allowed: true });
    expect(await list()).toMatchObject([{ requests: 3, would_refuse: 1, live: { in_flight: EXPORTS.in_flight } }]);
  });

  it('says what it would have allowed, unless another limit refuses', async () => {
    await create({ name: 'sms', windows: [{ limit: 1, seconds: 60 }] });
    await create({ name: 'closed', windows: [{ limit: 0, seconds: 60 }] });
    await set({ windows: [{ limit: 5, seconds: 60 }] });
    await check('a');
    expect(await check('a')).toMatchObject({ allowed: false });
    await send('/v1/check', {
      limits: [
        { name: 'sms', subject: 'b' },
        { name: 'closed', subject: 'b' },
      ],
    });
    expect(await list()).toMatchObject([{ requests: 3, would_refuse: 0, would_allow: 1 }]);
  });

  it('is tried with a class, and not for subjects, keys and tiers with their own numbers', async () => {
    await create({ ...SMS, tiers: { starter: [{ limit: 50, seconds: 60 }] } });
    await set({ windows: [{ limit: 0, seconds: 60 }] });
    const limits = [{ name: 'sms', subject: 'a' }];
    await send('/v1/check', { class: 'read', ip: '192.0.2.1', limits });
    expect(await list()).toMatchObject([{ requests: 1, would_refuse: 1 }]);
    const { json: starter } = await call(here.services, createApiKey, { body: { name: 'A', tier: 'starter' } });
    const { json: free } = await call(here.services, createApiKey, { body: { name: 'B', tier: 'free' } });
    const own = { limits: { sms: [{ limit: 9, seconds: 60 }] } };
    await call(here.services, updateApiKey, { params: { id: free.id }, body: own });
    const override = { type: 'subject', identifier: 'b', limit_name: 'sms', windows: [{ limit: 9, seconds: 60 }] };
    await call(here.services, putOverride, { body: { ...override, reason: 'Partner' } });
    await send('/v1/check', { limits: [{ name: 'sms' }], api_key: starter.secret });
    await send('/v1/check', { limits: [{ name: 'sms' }], api_key: free.secret });
    await check('b');
    expect(await list()).toMatchObject([{ requests: 1 }]);
  });

  it('is promoted and undone as one change, and removed', async () => {
    await create();
    const { json: first } = await set();
    await set({ windows: [{ limit: 7, seconds: 10 }] });
    expect((await promote({ id: first.id })).status).toBe(409);
    const promoted = await promote({ limit: 7, window_seconds: 10 });
    expect(promoted).toMatchObject({ status: 200, json: { name: 'sms', windows: [{ limit: 7, seconds: 10 }] } });
    expect(await windowsOf()).toEqual([{ limit: 7, seconds: 10 }]);
    expect(await list()).toEqual([]);
    expect((await undo(promoted)).status).toBe(200);
    expect(await windowsOf()).toEqual(SMS.windows);
    expect(await list()).toMatchObject([{ place: NEW.place, windows: [{ limit: 7, seconds: 10 }] }]);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
  });

  it('stays without effect while its limit is removed, and is replaced with counters that start empty', async () => {
    await create();
    await set();
    await check('a');
    await set({ windows: [{ limit: 1, seconds: 60 }] });
    expect(await list()).toMatchObject([{ requests: 0 }]);
    await check('a');
    expect(await list()).toMatchObject([{ requests: 1, would_refuse: 0 }]);
    const removal = await call(here.services, removeLimit, { params: { name: 'sms' } });
    expect(await list()).toMatchObject([{ place: NEW.place, live: null }]);
    expect((await promote()).status).toBe(404);
    expect((await undo(removal)).status).toBe(200);
    await check('a');
    expect(await list()).toMatchObject([{ requests: 2, would_refuse: 1 }]);
  });

  it.each([
    ['place', { place: 'limits.unknown' }],
    ['place', { place: 'limits.No Name' }],
    ['place', { place: 'limits.' }],
    ['windows', { windows: undefined }],
    ['windows', { windows: [] }],
    ['windows', { windows: SMS.windows }],
    ['windows.1.seconds', { windows: [NEW.windows[1], NEW.windows[0]] }],
    ['windows', { place: 'classes.read.ip' }],
    ['windows', { place: 'limits.exports' }],
    ['in_flight', { in_flight: { limit: 1, lease_seconds: 5 } }],
    ['in_flight', { place: 'limits.exports', windows: undefined, in_flight: EXPORTS.in_flight }],
    ['limit', { limit: 5 }],
    ['window_seconds', { window_seconds: 60 }],
    ['ends_at', { ends_at: formatTimestamp(0) }],
  ])('is refused with 400 at %s for %j, and changes nothing', async (path, more) => {
    await create();
    await create(EXPORTS);
    const answer = await set(more);
    expectInvalid(answer);
    expect(answer.json.details).toContainEqual({ path, message: expect.any(String) });
    expect(await list()).toEqual([]);
  });
});
