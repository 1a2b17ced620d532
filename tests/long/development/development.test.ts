import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { startProduct } from '../../fixtures/product';

it('in development Next answers the API, with bodies and without', { timeout: 180_000 }, async () => {
  const command = [process.execPath, 'server.mjs', '--dev'] as const;
  const product = await startProduct({ entry: { cwd: process.cwd(), command } });
  try {
    const limit = { name: 'sms', windows: [{ limit: 1, seconds: 30 }] };
    const created = await product.admin('POST', '/v1/admin/limits', limit);
    expect([created.status, await created.json()]).toMatchObject([201, limit]);
    const listed = await product.admin('GET', '/v1/admin/limits');
    expect(await listed.json()).toMatchObject([limit]);
    const checked = await product.admin('POST', '/v1/check', { limits: [{ name: 'sms', subject: 'a' }] });
    expect(await checked.json()).toMatchObject({ allowed: true, remaining: 0 });
    const refused = await product.admin('POST', '/v1/admin/limits', { name: '..', windows: [] });
    expect(refused.status).toBe(400);
  } finally {
    await product.stop();
  }
});

it('in development only this machine reaches it, because Next shows logs and paths', { timeout: 180_000 }, async () => {
  const command = [process.execPath, 'server.mjs', '--dev'] as const;
  const product = await startProduct({ entry: { cwd: process.cwd(), command }, env: { HOSTNAME_BIND: '' } });
  try {
    const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list);
    const reached: string[] = [];
    for (const { address, family, internal } of addresses) {
      if (internal || family !== 'IPv4') continue;
      const answer = await fetch(`http://${address}:${product.port}/_next/mcp`).catch(() => null);
      if (answer !== null) reached.push(address);
    }
    expect(reached).toEqual([]);
  } finally {
    await product.stop();
  }
});
