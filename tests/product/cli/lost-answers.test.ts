import { afterAll, beforeAll, expect, test } from 'vitest';
import { readChanges } from '@/tests/fixtures/read-changes';
import { newKey, product, sharedSuite } from '@/tests/fixtures/shared-suite';
import { type Ran, sluice } from '@/tests/fixtures/sluice';
import { TcpRelay } from '@/tests/fixtures/tcp-relay';

sharedSuite();

let relay: TcpRelay;
beforeAll(async () => {
  relay = await TcpRelay.start(product.port);
});
afterAll(() => relay.stop());

/** Runs a command whose change is made, and whose answer is lost. */
async function losing(request: string, words: readonly string[], stdin?: string): Promise<Ran> {
  relay.loseAnswerTo(request);
  const ran = await sluice(`http://127.0.0.1:${relay.port}`, words, stdin === undefined ? {} : { stdin });
  expect(relay.isWaitingToLose, ran.stderr).toBe(false);
  return ran;
}

const newestChange = async () => (await readChanges(product))[0]?.seq ?? 0;
const changesAfter = (seq: number) => readChanges(product, seq);

test('an apply is told as if the first answer had come, with the secrets of new keys', async () => {
  const document = { version: 1, api_keys: [{ name: 'Lost', tier: 'starter' }] };
  const before = await newestChange();
  const ran = await losing('PUT /v1/admin/state', ['state', 'apply', '-', '--yes'], JSON.stringify(document));
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('Applied; the revision is') });
  expect(await changesAfter(before)).toHaveLength(1);
  const [secret = ''] = ran.stdout.match(/slk_[\w-]{43}/) ?? [];
  const used = await fetch(`${product.origin}/v1/usage`, { headers: { 'X-API-Key': secret } });
  expect(used.status).toBe(200);
});

test('a conditional change is no conflict with itself', async () => {
  const words = ['routes', 'set', 'POST', '/api/transfers', '--class', 'sensitive'];
  const before = await newestChange();
  const { code, stderr } = await losing('PUT /v1/admin/route-rules', words);
  const [change] = await changesAfter(before);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`undo: sluice audit undo ${change?.seq}`)]);
  expect(await changesAfter(before)).toHaveLength(1);
});

test('what was removed is not missing', async () => {
  await product.admin('POST', '/v1/admin/rate-limit/allowlist', {
    ...{ type: 'ip', identifier: '203.0.113.9', reason: 'Office' },
  });
  expect(await losing('DELETE /v1/admin/rate-limit/allowlist', ['allowlist', 'remove', '203.0.113.9'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('No longer on the allowlist: 203.0.113.9.'),
  });
  const { id } = await newKey({ name: 'Leaked' });
  const before = await newestChange();
  expect(await losing(`DELETE /v1/admin/api-keys/${id}`, ['keys', 'revoke', 'Leaked'])).toMatchObject({ code: 0 });
  expect(await changesAfter(before)).toHaveLength(1);
});
