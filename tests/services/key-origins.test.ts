import { describe, expect, test } from 'vitest';
import { createApiKey } from '@/lib/admin/keys/create';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { readKeyStatistics } from '@/lib/admin/statistics/read-key';
import { readKeyOrigins } from '@/lib/admin/statistics/read-key-origins';
import { parseAddress } from '@/lib/limiter/address';
import { removeOutdated } from '@/lib/statistics/writes';
import { DAY, HOUR } from '@/lib/units';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

async function use(secret: string, ip: string, path: string, times = 1): Promise<void> {
  const address = parseAddress(ip) ?? undefined;
  for (let time = 0; time < times; time += 1)
    await here.services.engine.decide({ method: 'GET', path, address, apiKey: secret, requestId: null });
  await here.services.statistics.flush();
}
const newKey = async () => (await call(here.services, createApiKey, { body: { name: 'a', tier: 'free' } })).json;
const read = async (id: string) => (await call(here.services, readKeyOrigins, { params: { id } })).json;

describe('where a key is used from', () => {
  test('are the addresses and paths of allowed and refused requests, most first', async () => {
    const { id, secret } = await newKey();
    await use(secret, '192.0.2.1', '/api/orders/7');
    await use(secret, '192.0.2.2', '/api/orders/8?token=x', 120);
    expect(await read(id)).toEqual({
      api_key_id: id,
      from: '2026-11-19T13:00:00.000Z',
      addresses: [
        { origin: '192.0.2.2', allowed: 99, refused: 21, last_hour: '2026-11-20T12:00:00.000Z' },
        { origin: '192.0.2.1', allowed: 1, refused: 0, last_hour: '2026-11-20T12:00:00.000Z' },
      ],
      other_addresses: { allowed: 0, refused: 0 },
      paths: [{ origin: '/api/orders', allowed: 100, refused: 21, last_hour: '2026-11-20T12:00:00.000Z' }],
      other_paths: { allowed: 0, refused: 0 },
    });
  });

  test('are kept for a day', async () => {
    const { id, secret } = await newKey();
    await use(secret, '192.0.2.1', '/a');
    here.clock.advance(DAY - HOUR);
    expect((await read(id)).addresses).toHaveLength(1);
    here.clock.advance(HOUR);
    expect((await read(id)).addresses).toEqual([]);
    here.clock.advance(2 * HOUR);
    await removeOutdated(here.services.database, here.clock.now);
    const { rows } = await here.services.database.client.execute('select count(*) as n from key_origins');
    expect(rows[0]?.n).toBe(0);
  });

  test('can be read of a revoked key, as its days can', async () => {
    const { id, secret } = await newKey();
    await use(secret, '192.0.2.1', '/a');
    await call(here.services, revokeApiKey, { params: { id } });
    expect((await read(id)).addresses).toHaveLength(1);
    expect((await call(here.services, readKeyStatistics, { params: { id } })).status).toBe(200);
  });
});
