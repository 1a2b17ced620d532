import { afterAll, describe, expect, it } from 'vitest';
import { browserSuite, page, QUIET } from '../fixtures/browser-suite';
import { startProduct } from '../fixtures/product';
import { SqldServer, sqldIsMissing } from '../fixtures/sqld-server';
import { untilPasses } from '../fixtures/until';

describe.skipIf(sqldIsMissing('browser (a database that is down)'))('while the database is down', () => {
  let database: SqldServer;
  browserSuite({
    signInAt: QUIET,
    async start() {
      database = await SqldServer.start();
      return startProduct({ env: { DATABASE_URL: database.url, AUTH_SECRET: 'a secret of this test, long enough' } });
    },
  });
  afterAll(() => database?.stop());

  it('a page says so, and "Try again" shows it once the database is back', async () => {
    await database.kill();
    for (const path of ['/', '/keys', '/settings', '/oauth', '/oauth/token', '/sign-in', '/invitation']) {
      const answer = await page.goto(path);
      expect([answer?.status(), answer?.headers()['retry-after']], path).toEqual([503, '2']);
      await page.getByRole('heading', { name: 'Sluice cannot show this page' }).waitFor();
    }
    expect((await page.goto('/docs'))?.status()).toBe(200);
    const stranger = await page
      .context()
      .browser()
      ?.newContext({ baseURL: new URL(page.url()).origin });
    for (const path of ['/', '/sign-in', '/invitation'])
      expect((await stranger?.request.get(path, { headers: { accept: 'text/html' } }))?.status(), path).not.toBe(500);
    await stranger?.close();
    await page.goto('/keys');
    await database.start();
    await untilPasses(async () => {
      const again = page.getByRole('link', { name: 'Try again' });
      if (await again.isVisible()) await Promise.all([page.waitForEvent('load'), again.click()]);
      await page.getByRole('heading', { name: 'Keys & quotas' }).waitFor({ timeout: 1_000 });
    });
  });
});
