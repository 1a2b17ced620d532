import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addEffects } from '@/lib/admin/add-effects';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { createApiKey } from '@/lib/admin/keys/create';
import { getApiKey } from '@/lib/admin/keys/get';
import { readOwnUsage } from '@/lib/admin/keys/read-own-usage';
import { updateApiKey } from '@/lib/admin/keys/update';
import { createEndpoint } from '@/lib/operation/endpoint';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';
import { buildPackages } from '../../../server/packages';

const OPERATIONS = [
  ...[addAllowlistEntry, listAllowlist, removeAllowlistEntry],
  ...[createApiKey, getApiKey, updateApiKey, readOwnUsage],
];

/** The methods that are used here, as the package types them (package.test.ts). */
interface Client {
  allowlist: Record<'add' | 'list' | 'remove', Method>;
  keys: Record<'create' | 'get' | 'update', Method>;
  quota: { own: Method };
}
type Method = (...given: unknown[]) => Promise<unknown> & AsyncIterable<unknown> & { withAnswer(): Promise<Answered> };
interface Answered {
  value: { id: string; secret: string; name: string };
  status: number;
  etag: string;
  next: string | null;
  auditSeq: number;
}

let place: TestServices;
let sluice: Client;

beforeAll(async () => {
  await buildPackages(process.cwd());
  place = await testServices();
  // The route handlers of the operations, without a socket between.
  const fetch = async (address: string, init: RequestInit) => {
    const { pathname } = new URL(address);
    for (const operation of OPERATIONS) {
      const pattern = operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
      const found = new RegExp(`^${pattern}$`).exec(pathname);
      if (found === null || operation.method !== init.method) continue;
      const handler = createEndpoint(async () => place.services, [operation], addEffects)[operation.method];
      return handler(new Request(address, init), { params: Promise.resolve({ ...found.groups }) });
    }
    throw new Error(`Nothing answers ${init.method} ${pathname}.`);
  };
  const url = pathToFileURL(join(process.cwd(), 'dist/client/index.js')).href;
  const { Sluice } = await import(/* @vite-ignore */ url);
  sluice = new Sluice({ url: 'http://sluice.test', token: TEST_ADMIN_TOKEN, fetch });
});
afterAll(() => place[Symbol.dispose]());

it('adds, lists page by page, and removes', async () => {
  for (const host of [1, 2, 3, 4, 5]) {
    const entry = { type: 'ip', identifier: `203.0.113.${host}`, reason: 'Office', expires_at: null };
    expect(await sluice.allowlist.add(entry)).toEqual({
      allowlisted: true,
      identifier: entry.identifier,
      expires_at: null,
    });
  }
  const page = await sluice.allowlist.list({ limit: 2 }).withAnswer();
  expect([page.status, typeof page.next]).toEqual([200, 'string']);
  const all: unknown[] = [];
  for await (const entry of sluice.allowlist.list({ limit: 2 })) all.push(entry);
  expect(all).toEqual(await sluice.allowlist.list());
  expect(all).toHaveLength(5);
  const removed = await sluice.allowlist
    .remove({ type: 'ip', identifier: '203.0.113.1' }, { reason: 'Moved' })
    .withAnswer();
  expect(removed).toMatchObject({ value: undefined, status: 204, auditSeq: expect.any(Number) });
  expect(await sluice.allowlist.list({ q: '113.1' })).toEqual([]);
});

it('changes what it has read, and only that', async () => {
  const { value: key } = await sluice.keys.create({ name: 'Reports', tier: 'starter' }).withAnswer();
  const { etag } = await sluice.keys.get(key.id).withAnswer();
  await sluice.keys.update(key.id, { name: 'Nightly reports' }, { ifMatch: etag, reason: 'Renamed' });
  await expect(sluice.keys.update(key.id, { name: 'Other' }, { ifMatch: etag })).rejects.toMatchObject({
    name: 'SluiceError',
    code: 'precondition_failed',
    status: 412,
  });
  expect(await sluice.quota.own({ apiKey: key.secret })).toMatchObject({ usage: 0, limit: 10_000 });
});

it('makes once what is asked for twice with one key', async () => {
  const ask = () => sluice.keys.create({ name: 'Once', tier: 'free' }, { idempotencyKey: 'create-once' }).withAnswer();
  const [first, second] = [await ask(), await ask()];
  expect(second.value.id).toBe(first.value.id);
});

it('says what the server says of a mistake', async () => {
  await expect(sluice.allowlist.add({ type: 'ip', identifier: 'nowhere', reason: '' })).rejects.toMatchObject({
    code: 'invalid_request',
    status: 400,
    requestId: expect.any(String),
    details: expect.arrayContaining([{ path: 'reason', message: expect.any(String) }]),
  });
  await expect(sluice.keys.get('7f9c24e8-3b1a-4d21-9a55-0c4b5e1f0a11')).rejects.toMatchObject({ code: 'not_found' });
});
