import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { audit, idempotency } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { change } from '@/lib/admin/change';
import { createApiKey } from '@/lib/admin/keys/create';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { rotateApiKey } from '@/lib/admin/keys/rotate';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { getRouteRules } from '@/lib/admin/route-rules/get';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { applyState } from '@/lib/admin/state/apply';
import { createToken } from '@/lib/admin/tokens/create';
import type { Contract } from '@/lib/contract/operation';
import { implement, Reply } from '@/lib/operation/operation';
import { type Answer, call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const changes = () => here.services.database.drizzle.$count(audit);
const kept = () => here.services.database.drizzle.$count(idempotency);
const create = (key: string, name = 'billing', services = here.services) =>
  call(services, createApiKey, { body: { name, tier: 'free' }, headers: { 'Idempotency-Key': key } });
const seen = ({ status, text, headers }: Answer) => ({
  status,
  text,
  location: headers.get('location'),
  etag: headers.get('etag'),
  type: headers.get('content-type'),
});

test('the same request again has the same answer and no other effect', async () => {
  const first = await create('key-1');
  expect(first.status).toBe(201);
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  here.clock.advance(3_600_000);
  const second = await create('key-1');
  expect(seen(second)).toEqual(seen(first));
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await changes()).toBe(1);
});

test('twenty at once have one effect and byte-equal answers', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => create('key-1')));
  const [first] = answers;
  if (first === undefined) throw new Error('no answer');
  expect(first.status).toBe(201);
  for (const answer of answers) expect(seen(answer)).toEqual(seen(first));
  expect(await changes()).toBe(1);
});

test('twenty at once to four processes have one effect and byte-equal answers', async () => {
  const processes = [here.services, await here.another(), await here.another(), await here.another()];
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => create(`key-${round}`, `name ${round}`, processes[index % 4])),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.has('idempotency-replayed'))).toHaveLength(19);
    expect(await changes()).toBe(round + 1);
  }
});

test('the same key with another body is a conflict, with another path or caller another request', async () => {
  const { json } = await create('key-1');
  expect(await create('key-1', 'other')).toMatchObject({ status: 409, json: { error: 'conflict' } });
  const rotated = await call(here.services, rotateApiKey, {
    params: { id: json.id },
    headers: { 'Idempotency-Key': 'key-1' },
  });
  expect(rotated.status).toBe(200);
  expect(await changes()).toBe(2);
});

test('the same key of another caller is another request', async () => {
  const first = await create('key-1');
  const { token } = (await call(here.services, createToken, { body: { name: 'other', role: 'owner' } })).json;
  const other = await call(here.services, createApiKey, {
    body: { name: 'of another', tier: 'free' },
    headers: { 'Idempotency-Key': 'key-1', Authorization: `Bearer ${token}` },
  });
  expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([201, null]);
  expect(other.json.id).not.toBe(first.json.id);
});

test('after 24 hours the key is free again', async () => {
  await create('key-1');
  here.clock.advance(86_400_000 - 1);
  expect((await create('key-1')).headers.get('idempotency-replayed')).toBe('true');
  here.clock.advance(1);
  expect(await create('key-1')).toMatchObject({ status: 409, json: { error: 'conflict' } });
  expect((await create('key-1', 'other')).status).toBe(201);
});

test('a refusal is not kept: what was refused can be sent again', async () => {
  const taken = (await create('key-1')).json;
  expect((await create('key-2')).status).toBe(409);
  expect(await kept()).toBe(1);
  await here.services.database.client.execute({
    sql: 'update api_keys set revoked_at = 1 where id = ?',
    args: [taken.id],
  });
  expect((await create('key-2')).status).toBe(201);
});

describe('what an operation does comes with its kept answer or not at all', () => {
  const contract = {
    id: 'failing',
    method: 'POST',
    path: '/v1/failing',
    tag: 'x',
    summary: 'x',
    access: 'operator',
    response: { status: 200, description: 'x', schema: z.unknown() },
    idempotent: true,
  } as const satisfies Contract;
  const failing = implement(contract, (context) =>
    change(context, async () => ({
      audit: { action: 'counters.reset', targetType: 'x', target: 'x' },
      statements: [context.services.database.drizzle.run('insert into no_such_table values (1)')],
      result: { done: true },
    })),
  );

  test('when the transaction fails', async () => {
    const answer = await call(here.services, failing, { headers: { 'Idempotency-Key': 'key-1' } });
    expect(answer).toMatchObject({ status: 500, json: { error: 'internal_error' } });
    expect([await changes(), await kept()]).toEqual([0, 0]);
  });

  /** Its counters live elsewhere and are down at first. */
  let isUp = false;
  let cleared = 0;
  const elsewhere = implement({ ...contract, path: '/v1/elsewhere' }, (context) =>
    change(context, async () => ({
      audit: { action: 'counters.reset', targetType: 'x', target: 'x' },
      statements: [],
      counters: [
        {
          kind: 'action' as const,
          run: async () => {
            if (!isUp) throw new Error('down');
            cleared += 1;
          },
        },
      ],
      result: { done: true },
    })),
  );

  test('when an action after it fails', async () => {
    const options = { headers: { 'Idempotency-Key': 'key-1' } };
    expect((await call(here.services, elsewhere, options)).status).toBe(500);
    expect(await kept()).toBe(0);
    isUp = true;
    const answers = await Promise.all(Array.from({ length: 5 }, () => call(here.services, elsewhere, options)));
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 5 }, () => '{"done":true}'));
    expect([cleared, await kept()]).toEqual([1, 1]);
  });

  test('when it answers with something else than the result of its change', async () => {
    const wrapping = implement({ ...contract, path: '/v1/wrapping' }, async (context) => {
      const result = await change(context, async () => ({
        audit: { action: 'counters.reset', targetType: 'x', target: 'x' },
        statements: [],
        result: { inner: 1 },
      }));
      return new Reply({ outer: result }, { headers: { Location: '/elsewhere' } });
    });
    const options = { headers: { 'Idempotency-Key': 'key-1' } };
    const first = await call(here.services, wrapping, options);
    expect([first.status, first.text]).toEqual([200, '{"outer":{"inner":1}}']);
    expect(seen(await call(here.services, wrapping, options))).toEqual(seen(first));
    expect(await changes()).toBe(1);
  });
});

test('every operation that can be repeated has the same answer with a key as without', async () => {
  const { id } = (await create('made')).json;
  const rules = (await call(here.services, getRouteRules)).headers.get('etag') ?? '';
  const calls = [
    () =>
      call(here.services, addAllowlistEntry, {
        body: { type: 'ip', identifier: '10.0.0.1', reason: 'x' },
        headers: { 'Idempotency-Key': 'k' },
      }),
    () =>
      call(here.services, resetCounters, {
        body: { type: 'ip', identifier: '10.0.0.1' },
        headers: { 'Idempotency-Key': 'k' },
      }),
    () => call(here.services, resetQuota, { params: { api_key: id }, headers: { 'Idempotency-Key': 'k' } }),
    () => call(here.services, rotateApiKey, { params: { id }, headers: { 'Idempotency-Key': 'k' } }),
  ];
  const headers = { 'Idempotency-Key': 'k' };
  const rule = { method: 'GET', path: '/reports/*', class: 'read' };
  calls.push(
    () => call(here.services, removeAllowlistEntry, { body: { type: 'ip', identifier: '10.0.0.1' }, headers }),
    () => call(here.services, replaceRouteRules, { body: [rule], headers: { ...headers, 'If-Match': rules } }),
    () => call(here.services, applyState, { body: { version: 1, api_keys: [{ name: 'new', tier: 'free' }] }, headers }),
    () => call(here.services, revokeApiKey, { params: { id }, headers }),
  );
  const statuses: number[] = [];
  for (const send of calls) {
    const before = await changes();
    const first = await send();
    expect(seen(await send())).toEqual(seen(first));
    expect(await changes()).toBe(before + 1);
    statuses.push(first.status);
  }
  expect(statuses).toEqual([200, 204, 200, 200, 204, 200, 200, 204]);
});

test('a kept answer cannot be read from the database, nor after the secret was changed', async () => {
  const { secret } = (await create('key-1')).json;
  const [row] = await here.services.database.drizzle.select().from(idempotency);
  expect(JSON.stringify(row)).not.toContain(secret.slice(13));
  expect(Buffer.from(row?.body ?? '', 'base64url').toString('latin1')).not.toContain(secret.slice(13));
  const changed = { ...here.services, authSecret: 'another secret that also has more than thirty-two characters' };
  expect((await create('key-1', 'billing', changed)).json.error).toBe('conflict');
  expect(await changes()).toBe(1);
});

test.each([' ', 'a b', 'ä', 'x'.repeat(256)])('a key of the form "%s" is refused', async (key) => {
  expect(await create(key)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  expect(await changes()).toBe(0);
});

test.each(['x', '"8e03978e-40d5-43e8-bc93-6894a57f9324"', '~'.repeat(255)])(
  'a key of the form %s is taken',
  async (key) => {
    expect((await create(key)).status).toBe(201);
  },
);
