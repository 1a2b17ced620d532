import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from '@/tests/fixtures/product';
import { SqldServer, sqldIsMissing } from '@/tests/fixtures/sqld-server';
import { until } from '@/tests/fixtures/until';

describe.skipIf(sqldIsMissing('integration/monitoring'))('a database that goes away', () => {
  let sqld: SqldServer;
  let product: Product;
  let token = '';

  beforeAll(async () => {
    sqld = await SqldServer.start();
    product = await startProduct({
      env: {
        DATABASE_URL: sqld.url,
        AUTH_SECRET: 'a secret of more than thirty-two characters',
        SLUICE_LOG_LEVEL: 'info',
      },
    });
    const created = await product.admin('POST', '/v1/admin/tokens', { name: 'prometheus', role: 'gateway' });
    token = ((await created.json()) as { token: string }).token;
    expect((await scrape()).status).toBe(200);
  });
  afterAll(async () => {
    await product?.stop();
    await sqld?.stop();
  });

  const scrape = () => fetch(`${product.origin}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  const lines = () =>
    product
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { level: string; message: string; err?: { code?: string; cause?: object } });
  const said = (message: string) => lines().filter((line) => line.message === message);

  it('is logged once, whatever it fails; the metrics say so to whom they were known', async () => {
    await sqld.kill();
    await until(() => said('the database is down').length > 0);
    for (let n = 0; n < 100; n += 1) {
      expect((await product.admin('GET', '/v1/admin/tokens')).status).toBe(503);
    }
    expect(said('the database is down')).toMatchObject([{ level: 'error' }]);
    expect(JSON.stringify(said('the database is down'))).toMatch(/"code":"ECONN(REFUSED|RESET|ABORTED)"/);
    expect(
      lines().filter(({ level, message }) => level === 'error' && !/^the database is|counter store/.test(message)),
    ).toEqual([]);
    const answer = await scrape();
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toMatch(/^sluice_part_up\{part="database"\} 0$/m);
    expect(text).toMatch(/^sluice_database_errors_total\{operation="read"\} [1-9]/m);
    const unknown = await fetch(`${product.origin}/metrics`, { headers: { Authorization: 'Bearer slt_unknown' } });
    expect(unknown.status).toBe(503);
  });

  it('is logged when it is back', async () => {
    await sqld.start();
    await until(() => said('the database is back').length > 0);
    expect(said('the database is back')).toMatchObject([{ level: 'info' }]);
    await until(async () => /^sluice_part_up\{part="database"\} 1$/m.test(await (await scrape()).text()));
  });
});
