import { describe, expect, it } from 'vitest';
import { listAudit } from '@/lib/admin/audit-log/list';
import { listCandidates } from '@/lib/admin/candidates/list';
import { promoteCandidate } from '@/lib/admin/candidates/promote';
import { removeCandidate } from '@/lib/admin/candidates/remove';
import { getCandidateRules } from '@/lib/admin/candidates/rules/get';
import { promoteCandidateRules } from '@/lib/admin/candidates/rules/promote';
import { removeCandidateRules } from '@/lib/admin/candidates/rules/remove';
import { setCandidateRules } from '@/lib/admin/candidates/rules/set';
import { setCandidate } from '@/lib/admin/candidates/set';
import { createApiKey } from '@/lib/admin/keys/create';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { previewReset } from '@/lib/admin/limits/preview-reset';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { getPolicies } from '@/lib/admin/policies/get';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { getRouteRules } from '@/lib/admin/route-rules/get';
import { undoChange } from '@/lib/admin/undo/undo';
import type { CandidateLimit } from '@/lib/contract/candidates';
import { parseAddress } from '@/lib/limiter/address';
import { type Answer, type CallOptions, call, expectInvalid } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const HOUR = 3_600_000;
const later = (time: number) => new Date(here.clock.now + time).toISOString();
const NEW = { place: 'classes.read.ip', limit: 3, window_seconds: 60, reason: 'Is it enough?' };
const set = (body: object = {}, options: CallOptions = {}) =>
  call(here.services, setCandidate, { body: { ...NEW, ...body }, ...options });
const remove = (place = NEW.place) => call(here.services, removeCandidate, { body: { place } });
const promote = (body: object = {}) => call(here.services, promoteCandidate, { body: { place: NEW.place, ...body } });
const list = async (): Promise<CandidateLimit[]> => (await call(here.services, listCandidates)).json;
const undo = (seq: number) => call(here.services, undoChange, { params: { seq: String(seq) } });
const seqOf = ({ headers }: Answer) => Number(headers.get('X-Audit-Seq'));
const limitOfRead = async () => (await call(here.services, getPolicies)).json.classes.read.ip;

/** @returns how many of so many requests were allowed */
async function send(times: number, ip = '203.0.113.7'): Promise<number> {
  let allowed = 0;
  for (let sent = 0; sent < times; sent += 1) {
    const facts = { method: 'GET', path: '/api/orders', address: parseAddress(ip), requestId: null };
    if ((await here.services.engine.decide(facts)).outcome === 'allowed') allowed += 1;
  }
  await here.services.statistics.flush();
  return allowed;
}

describe('a candidate limit', () => {
  it('says what it would have refused, of whom, and since when, and refuses nobody', async () => {
    const { status, json } = await set({ ends_at: later(HOUR) });
    expect(status).toBe(200);
    const candidate = {
      ...NEW,
      id: expect.stringMatching(/^c\w+$/),
      ends_at: later(HOUR),
      created_at: later(0),
      created_by: 'bootstrap',
      live: { limit: 100, window_seconds: 60 },
    };
    expect(json).toEqual({
      ...candidate,
      requests: 0,
      would_refuse: 0,
      would_allow: 0,
      identifiers: 0,
      first: null,
      top: [],
    });
    const begun = later(0);
    expect(await send(8)).toBe(8);
    expect(await send(2, '203.0.113.8')).toBe(2);
    here.clock.advance(1_000);
    expect(await send(4, '2001:db8::7')).toBe(4);
    const times = (at: string) => ({ api_key_name: null, would_allow: 0, first_at: at, last_at: at });
    expect(await list()).toEqual([
      {
        ...candidate,
        ...{ requests: 14, would_refuse: 6, would_allow: 0, identifiers: 2 },
        first: { identifier: '203.0.113.7', would_refuse: 5, ...times(begun) },
        top: [
          { identifier: '203.0.113.7', would_refuse: 5, ...times(begun) },
          { identifier: '2001:db8::/64', would_refuse: 1, ...times(later(0)) },
        ],
      },
    ]);
  });

  it('says who was the first, also one that it would have refused less often than ten others', async () => {
    await set();
    await send(4, '203.0.113.200');
    for (let caller = 1; caller <= 11; caller += 1) {
      here.clock.advance(100);
      await send(5, `203.0.113.${caller}`);
    }
    const [candidate] = await list();
    expect(candidate).toMatchObject({ identifiers: 12, first: { identifier: '203.0.113.200', would_refuse: 1 } });
    expect(candidate?.top.map(({ would_refuse }) => would_refuse)).toEqual(Array.from({ length: 10 }, () => 2));
  });

  it('names the API keys that it would have refused, also a revoked one', async () => {
    await set({ place: 'clients.confidential', limit: 2 });
    const { json: key } = await call(here.services, createApiKey, {
      body: { name: 'Reports', tier: 'free', client_type: 'confidential' },
    });
    const facts = { method: 'GET', path: '/api/orders', address: undefined, requestId: null };
    for (let sent = 0; sent < 3; sent += 1) await here.services.engine.decide({ ...facts, apiKeyId: key.id });
    const client = { id: 'https://app.example.com', type: 'confidential' as const };
    for (let sent = 0; sent < 3; sent += 1) await here.services.engine.decide({ ...facts, client });
    await here.services.statistics.flush();
    await call(here.services, revokeApiKey, { params: { id: key.id } });
    const named = (await list())[0]?.top.map(({ identifier, api_key_name: name }) => [identifier, name]);
    expect(named?.sort()).toEqual(
      [
        [key.id, 'Reports'],
        [client.id, null],
      ].sort(),
    );
  });

  it('says what a looser one would have allowed', async () => {
    await call(here.services, patchPolicies, { body: { classes: { read: { ip: { limit: 2 } } } } });
    await set({ limit: 5 });
    expect(await send(9)).toBe(2);
    expect(await list()).toMatchObject([{ requests: 9, would_refuse: 0, would_allow: 3, identifiers: 1 }]);
  });

  it('is promoted as one change, with a record of each half, and takes effect at once', async () => {
    await set();
    await send(2);
    const answer = await promote({ limit: 3, window_seconds: 60, reason: 'It refused nobody' });
    expect([answer.status, answer.json.classes.read.ip]).toEqual([200, { limit: 3, window_seconds: 60 }]);
    expect(await limitOfRead()).toEqual({ limit: 3, window_seconds: 60 });
    expect(await list()).toEqual([]);
    // What the live limit has counted stays.
    expect(await send(5)).toBe(1);
    const records = (await call(here.services, listAudit, { query: { limit: '2' } })).json;
    expect(records.map(({ action, reason }: { action: string; reason: string }) => [action, reason])).toEqual([
      ['policies.update', 'It refused nobody'],
      ['candidate.promote', 'It refused nobody'],
    ]);
    // Both halves are taken back together, whichever is named, also by the undo of the undo.
    const undone = await undo(seqOf(answer));
    expect([undone.status, undone.json.restored]).toEqual([
      200,
      'The candidate limits were restored. The limits were restored.',
    ]);
    expect(await limitOfRead()).toEqual({ limit: 100, window_seconds: 60 });
    expect(await list()).toMatchObject([{ place: 'classes.read.ip', limit: 3 }]);
    expect((await undo(seqOf(answer) - 1)).status).toBe(409);
    expect((await undo(seqOf(undone) - 1)).status).toBe(200);
    expect([await limitOfRead(), await list()]).toEqual([{ limit: 3, window_seconds: 60 }, []]);
  });

  it('is not promoted when it is another one than the caller has read', async () => {
    expect((await promote()).status).toBe(404);
    await set();
    expect(await promote({ limit: 4 })).toMatchObject({ status: 409, json: { error: 'conflict' } });
    expect((await set({ limit: 5 })).status).toBe(200);
    expect((await promote({ limit: 3 })).status).toBe(409);
    expect((await promote({ limit: 5 })).status).toBe(200);
  });

  it('starts empty, though its limit and an earlier version have counted, and is cleared with its limit', async () => {
    expect(await send(2)).toBe(2);
    const { json } = await set();
    const earlier = `ip|203.0.113.7|read|60|${json.id}`;
    const window = { kind: 'sliding', seconds: 60 } as const;
    const { counters, rules } = here.services;
    const full = { meters: [{ subject: 'ip' as const, key: earlier, limit: 3, window }], cost: 3 };
    expect(await counters.commit((await rules.readFresh()).revision, [full])).toMatchObject({ kind: 'decided' });
    expect(await send(5)).toBe(5);
    expect(await list()).toMatchObject([{ requests: 5, would_refuse: 2 }]);
    const caller = { type: 'ip', identifier: '203.0.113.7' };
    expect((await call(here.services, previewReset, { query: caller })).json.counters).toBe(1);
    expect((await call(here.services, resetCounters, { body: caller })).status).toBe(204);
    expect(await counters.listKeys('ip|203.0.113.7|', 10)).toEqual([]);
    await send(3);
    expect(await list()).toMatchObject([{ requests: 8, would_refuse: 2 }]);
  });

  it('is replaced by another, which starts empty, and removed; both can be undone', async () => {
    await set();
    await send(5);
    const replaced = await set({ limit: 4 });
    await send(5);
    expect(await list()).toMatchObject([{ limit: 4, requests: 5, would_refuse: 1 }]);
    await undo(seqOf(replaced));
    expect(await list()).toMatchObject([{ limit: 3, requests: 5, would_refuse: 2 }]);
    const removed = await remove();
    expect(removed.status).toBe(204);
    expect(await list()).toEqual([]);
    expect((await remove()).status).toBe(404);
    await send(5);
    await undo(seqOf(removed));
    expect(await list()).toMatchObject([{ limit: 3, requests: 5 }]);
  });

  it('ends by itself, to the millisecond', async () => {
    await set({ ends_at: later(60_000) });
    here.clock.advance(59_999);
    await send(1);
    expect(await list()).toMatchObject([{ requests: 1 }]);
    here.clock.advance(1);
    expect(await list()).toEqual([]);
    expect((await promote()).status).toBe(404);
  });

  it('stands beside each limit of the policies, in their order', async () => {
    for (const place of ['clients.public', 'classes.write.user', 'classes.auth.ip']) await set({ place, limit: 7 });
    expect((await list()).map(({ place, live }) => [place, live?.limit])).toEqual([
      ['classes.auth.ip', 10],
      ['classes.write.user', 1_000],
      ['clients.public', 30],
    ]);
  });

  it('refuses what makes no sense, and changes nothing', async () => {
    expectInvalid(await set({ place: 'tiers.free' }));
    expectInvalid(await set({ limit: 100 }));
    expectInvalid(await set({ window_seconds: 0 }));
    expectInvalid(await set({ ends_at: later(0) }));
    expectInvalid(await set({ ends_at: later(91 * 24 * HOUR) }));
    expectInvalid(await set({ reason: ' ' }));
    expect(await list()).toEqual([]);
    expect(await set({}, { query: { dry_run: 'true' } })).toMatchObject({ status: 200 });
    expect(await list()).toEqual([]);
  });
});

describe('candidate route rules', () => {
  const RULES = [{ method: 'GET', path: '/api/orders', class: 'read', cost: 40 }];
  const setRules = (body: object = {}) =>
    call(here.services, setCandidateRules, { body: { rules: RULES, reason: 'Can orders cost more?', ...body } });
  const read = async () => (await call(here.services, getCandidateRules)).json;
  const live = async () => (await call(here.services, getRouteRules)).json;

  it('say what they would have refused, of whom, and refuse nobody', async () => {
    expect(await read()).toBeNull();
    expect((await setRules({ ends_at: later(HOUR) })).json).toMatchObject({ rules: RULES, requests: 0, top: [] });
    expect(await send(5)).toBe(5);
    expect(await read()).toMatchObject({
      ...{ id: expect.stringMatching(/^c\w+$/), rules: RULES, ends_at: later(HOUR), reason: 'Can orders cost more?' },
      ...{ requests: 5, would_refuse: 3, would_allow: 0, identifiers: 1 },
      top: [{ identifier: '203.0.113.7', would_refuse: 3 }],
    });
    here.clock.advance(HOUR);
    expect(await read()).toBeNull();
  });

  it('are promoted as one change with a record of each half, which are taken back together', async () => {
    const { json } = await setRules();
    expect((await call(here.services, promoteCandidateRules, { body: { id: 'c0' } })).status).toBe(409);
    const answer = await call(here.services, promoteCandidateRules, { body: { id: json.id, reason: 'Nobody minds' } });
    expect([answer.status, answer.json]).toEqual([200, RULES]);
    expect([await read(), await live()]).toEqual([null, RULES]);
    expect(await send(5)).toBe(2);
    const records = (await call(here.services, listAudit, { query: { limit: '2' } })).json;
    expect(records.map(({ action, reason }: { action: string; reason: string }) => [action, reason])).toEqual([
      ['route_rules.replace', 'Nobody minds'],
      ['candidate_rules.promote', 'Nobody minds'],
    ]);
    expect((await undo(seqOf(answer))).status).toBe(200);
    expect(await live()).toEqual([]);
    expect(await read()).toMatchObject({ id: json.id, rules: RULES });
  });

  it('are replaced by others, which start anew, and removed; both can be undone', async () => {
    await setRules();
    await send(3);
    const replaced = await setRules({ rules: [...RULES, { method: '*', path: '/x', class: 'auth' }] });
    expect(await read()).toMatchObject({ requests: 0 });
    await undo(seqOf(replaced));
    expect(await read()).toMatchObject({ rules: RULES, requests: 3 });
    const removed = await call(here.services, removeCandidateRules);
    expect(removed.status).toBe(204);
    expect((await call(here.services, removeCandidateRules)).status).toBe(404);
    expect((await call(here.services, promoteCandidateRules, { body: {} })).status).toBe(404);
    await undo(seqOf(removed));
    expect(await read()).toMatchObject({ rules: RULES });
  });

  it('stand beside candidate limits, and leave each their own', async () => {
    await set();
    await setRules();
    expect(await send(4)).toBe(4);
    expect(await list()).toMatchObject([{ requests: 4, would_refuse: 1 }]);
    expect(await read()).toMatchObject({ requests: 4, would_refuse: 2 });
  });

  it('refuse what makes no sense, and change nothing', async () => {
    expectInvalid(await setRules({ rules: [] }));
    expectInvalid(await setRules({ rules: [{ method: 'GET', path: 'api', class: 'read' }] }));
    expectInvalid(await setRules({ ends_at: later(0) }));
    expectInvalid(await setRules({ ends_at: later(91 * 24 * HOUR) }));
    expectInvalid(await setRules({ reason: ' ' }));
    expect(await read()).toBeNull();
  });
});
