import { expect, it } from 'vitest';
import { browserSuite, product, QUIET, signedIn } from '../../fixtures/browser-suite';
import { CONSOLE_PAGES } from '../../fixtures/console-pages';
import { expectGoodLooks } from '../../fixtures/looks';

const PAGES = [...CONSOLE_PAGES, '/settings?tab=about', '/oauth/assessments/new', '/oauth/callback?code=a&state=b'];

async function prepare(): Promise<void> {
  const calls = Array.from({ length: 60 }, () => ({ class: 'auth', ip: '203.0.113.9' }));
  await product.admin('POST', '/v1/check/batch', calls);
  await product.admin('POST', '/v1/admin/api-keys', { name: 'reports', tier: 'free' });
  await product.admin('POST', '/v1/admin/rate-limit/allowlist', {
    type: 'ip',
    identifier: '10.0.0.0/24',
    reason: 'Office',
  });
  await product.admin('PUT', '/v1/admin/rate-limit/overrides', {
    type: 'user_id',
    identifier: 'partner',
    class: 'read',
    limit: 9,
    window_seconds: 60,
    reason: 'Contract',
  });
}
browserSuite({ prepare, signInAt: QUIET });

it.each(PAGES)('%s: axe finds nothing in any look, the console is silent, nothing sticks out', async (path) => {
  const { page, complaints } = await signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
  await expectGoodLooks(page);
  expect(complaints).toEqual([]);
});
