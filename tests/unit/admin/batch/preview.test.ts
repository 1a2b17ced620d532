import { expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { createApiKey } from '@/lib/admin/keys/create';
import { inviteMember } from '@/lib/admin/members/invite';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { runBatch } from '@/lib/api/operations';
import { buildQuotaKey } from '@/lib/enforcement/quota-counter';
import type { ApiKeyId } from '@/lib/ids';
import { call } from '@/tests/fixtures/call';
import { everything } from '@/tests/fixtures/everything';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

/** The statuses that a batch foretells, and those that it answers; the records that both name. */
async function foretoldAndDone(operation: string, items: unknown[]) {
  const body = { operation, items };
  const before = await everything(here.services);
  const foretold = (await call(here.services, runBatch, { body, query: { dry_run: 'true' } })).json;
  expect(await everything(here.services)).toBe(before);
  const done = (await call(here.services, runBatch, { body })).json;
  const answers = ({ results }: { results: Record<string, unknown>[] }) =>
    results.map(({ audit_seq: _, ...answer }) => answer);
  // The numbers of records are those that the batch takes.
  expect(answers(foretold.value)).toEqual(answers(done));
  const { changes } = foretold as { changes: { action: string; before: unknown; after: unknown }[] };
  return { statuses: done.results.map(({ status }: { status: number }) => status), changes };
}

const ENTRY = { type: 'ip', identifier: '203.0.113.7' };
const newKey = async (name: string) =>
  (await call(here.services, createApiKey, { body: { name, tier: 'starter' } })).json.id as ApiKeyId;

it('an entry that is removed twice is there once', async () => {
  await call(here.services, addAllowlistEntry, { body: { ...ENTRY, reason: 'Office' } });
  const { statuses, changes } = await foretoldAndDone('removeAllowlistEntry', [
    ENTRY,
    { type: 'ip', identifier: '203.0.113.7/32' },
  ]);
  expect(statuses).toEqual([204, 404]);
  expect(changes).toHaveLength(1);
});

it('a change of what an item before has changed begins there', async () => {
  const key = await newKey('Billing');
  const { changes } = await foretoldAndDone('changeTier', [
    { api_key: key, tier: 'business' },
    { api_key: key, tier: 'free' },
  ]);
  expect(changes[1]).toMatchObject({ before: { tier: 'business' }, after: { tier: 'free' } });
});

it('changes of one thing are taken back one after the other, the newest first', async () => {
  for (const limit of [5, 6, 7])
    await call(here.services, patchPolicies, { body: { classes: { auth: { ip: { limit } } } } });
  const { statuses } = await foretoldAndDone('undoChange', [
    { seq: 1 },
    { seq: 3 },
    { seq: 2 },
    { seq: 2 },
    { seq: 4 },
  ]);
  expect(statuses).toEqual([409, 200, 200, 409, 409]);
});

it('the last owner stays, although each could be removed', async () => {
  const invite = async (email: string) =>
    (await call(here.services, inviteMember, { body: { email, role: 'owner' } })).json.id as string;
  const items = [{ id: await invite('ada@example.com') }, { id: await invite('bob@example.com') }];
  expect((await foretoldAndDone('removeMember', items)).statuses).toEqual([204, 409]);
});

it('a quota that is reset twice has been used once', async () => {
  const id = await newKey('Billing');
  const window = { kind: 'month' } as const;
  const meter = { subject: 'quota', key: buildQuotaKey(id), limit: 0, window, unlimited: true } as const;
  const { counters, rules } = here.services;
  await counters.commit((await rules.readFresh()).revision, [{ meters: [meter], cost: 5 }]);
  const { changes } = await foretoldAndDone('resetQuota', [{ api_key: id }, { api_key: id }]);
  expect(changes.map(({ before }) => before)).toEqual([{ usage: 5 }, { usage: 0 }]);
  await counters.commit((await rules.readFresh()).revision, [{ meters: [meter], cost: 3 }]);
  const reset = { type: 'api_key', identifier: id, quota: true };
  const again = await foretoldAndDone('resetCounters', [reset, reset]);
  expect(again.changes.map(({ before }) => before)).toEqual([{ usage: 3 }, { usage: 0 }]);
});
