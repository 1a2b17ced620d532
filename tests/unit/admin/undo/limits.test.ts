import { describe, expect, it } from 'vitest';
import { listAudit } from '@/lib/admin/audit-log/list';
import { listCandidates } from '@/lib/admin/candidates/list';
import { setCandidate } from '@/lib/admin/candidates/set';
import { getPolicies } from '@/lib/admin/policies/get';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { undoChange } from '@/lib/admin/undo/undo';
import { DEFAULT_POLICIES } from '@/lib/contract/policies';
import { call } from '@/tests/fixtures/call';
import { rulesIn } from '@/tests/fixtures/rules-in';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const seqOf = ({ headers }: { headers: Headers }) => Number(headers.get('X-Audit-Seq'));
const patch = async (body: object) => seqOf(await call(here.services, patchPolicies, { body }));
const undo = async (seq: number) => {
  const { status, json } = await call(here.services, undoChange, { params: { seq: String(seq) } });
  return [status, json.error_description ?? null];
};
const policies = async () => (await call(here.services, getPolicies)).json;

describe('of the policies', () => {
  it('one limit is taken back although another was changed since, which stays', async () => {
    const start = await rulesIn(here.services.database);
    const auth = await patch({ classes: { auth: { ip: { limit: 5 } } } });
    const read = await patch({ classes: { read: { ip: { limit: 50 } }, auth: { user: { limit: 7 } } } });
    const tiers = await patch({ tiers: { free: 500 } });
    const { json } = await call(here.services, listAudit);
    expect(json.map(({ undo: { possible } }: { undo: { possible: boolean } }) => possible)).toEqual([true, true, true]);
    expect(await undo(auth)).toEqual([200, null]);
    expect((await policies()).classes.auth).toMatchObject({
      ip: DEFAULT_POLICIES.classes.auth.ip,
      user: { ...DEFAULT_POLICIES.classes.auth.user, limit: 7 },
    });
    expect((await policies()).tiers.free).toBe(500);
    expect(await undo(read)).toEqual([200, null]);
    expect(await undo(tiers)).toEqual([200, null]);
    expect(await policies()).toEqual(DEFAULT_POLICIES);
    expect(await rulesIn(here.services.database)).toEqual(start);
  });

  it('a later change of the same limit, or of its window, stands in the way', async () => {
    const limit = await patch({ classes: { auth: { ip: { limit: 5 } } } });
    const window = await patch({ classes: { auth: { ip: { window_seconds: 120 } } } });
    expect(await undo(limit)).toEqual([409, `bootstrap changed the same thing later, with change ${window}.`]);
    expect(await undo(window)).toEqual([200, null]);
    expect(await undo(limit)).toEqual([200, null]);
  });

  it('what was written over without another number is not taken back', async () => {
    const { limit } = DEFAULT_POLICIES.classes.auth.ip;
    const same = await patch({ classes: { auth: { ip: { limit } } } });
    await patch({ classes: { auth: { ip: { limit: 5 } } } });
    expect(await undo(same)).toEqual([409, 'The target has changed since.']);
    expect((await policies()).classes.auth.ip.limit).toBe(5);
  });
});

it('the candidate of one limit is taken back, and that of another stays', async () => {
  const set = async (place: string, limit: number) => {
    const body = { place, limit, window_seconds: 60, reason: 'Enough?' };
    return seqOf(await call(here.services, setCandidate, { body }));
  };
  const auth = await set('classes.auth.ip', 3);
  const replaced = await set('classes.auth.ip', 4);
  const read = await set('classes.read.ip', 30);
  const listed = async () =>
    (await call(here.services, listCandidates)).json.map(({ place, limit }: Record<string, unknown>) => [place, limit]);
  expect(await undo(auth)).toEqual([409, `bootstrap changed the same thing later, with change ${replaced}.`]);
  expect(await undo(replaced)).toEqual([200, null]);
  expect(await listed()).toEqual([
    ['classes.auth.ip', 3],
    ['classes.read.ip', 30],
  ]);
  expect(await undo(auth)).toEqual([200, null]);
  expect(await listed()).toEqual([['classes.read.ip', 30]]);
  expect(await undo(read)).toEqual([200, null]);
  expect(await listed()).toEqual([]);
});
