import { afterAll, expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, page, product } from '../../fixtures/browser-suite';
import { type Product, startProduct } from '../../fixtures/product';

let current: Product;

/** Ends the server once the page has loaded all it needs, and starts it again at the same address with the same data. */
async function withoutServer(work: () => Promise<void>): Promise<void> {
  await page.waitForLoadState('networkidle');
  await current.kill();
  try {
    await work();
  } finally {
    current = await startProduct({ directory: product.directory, env: { PORT: String(product.port) } });
  }
}

async function prepare(): Promise<void> {
  current = product;
  const entry = { type: 'ip', identifier: '10.0.0.0/24', reason: 'Office' };
  await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry);
  // Before the first decision the overview shows the first steps.
  await product.admin('POST', '/v1/check', { class: 'read', ip: '192.0.2.1' });
}
browserSuite({ prepare, signInAt: '/limits' });
afterAll(() => current.stop());

it('a navigation waits for a server that is away, and the page stays until then', async () => {
  await page.getByLabel('Auth, per address, requests').fill('6');
  await withoutServer(async () => {
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('The server cannot be reached. Trying again. Audit log opens when it is back.').waitFor();
    expect(await page.evaluate(() => location.href)).toContain(product.origin);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  await page.getByText('The server cannot be reached').waitFor({ state: 'detached' });
});

it('a dialog that is not there yet opens once the server is back, and the page stays', async () => {
  await page.goto('/allowlist');
  await page.getByRole('link', { name: /10\.0\.0\.0\/24/ }).waitFor();
  await withoutServer(async () => {
    await page.getByRole('button', { name: 'Add entry' }).first().click();
    await page.getByText('What you requested opens when it is back.').waitFor();
    await page.getByRole('link', { name: /10\.0\.0\.0\/24/ }).waitFor();
  });
  await page.getByRole('dialog', { name: 'Add to the allowlist' }).waitFor();
  await page.keyboard.press('Escape');
});

it('health that cannot be read again is shown as old, and as it is once the server is back', async () => {
  await page.goto('/');
  const health = page.getByRole('region', { name: 'Health' });
  await health.getByText('closed, store in use', { exact: true }).waitFor();
  await withoutServer(async () => {
    await health.getByText(/^closed, store in use, .* ago$/).waitFor();
    await page.getByText('The server cannot be reached').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
  await health.getByText('closed, store in use', { exact: true }).waitFor();
});

it('a list that failed is tried again by itself', async () => {
  await page.route('**/v1/admin/rate-limit/allowlist?*', (route) => route.fulfill({ status: 500, body: '' }));
  await page.goto('/allowlist');
  await page.getByRole('alert').getByText('The server has a problem').waitFor();
  await page.unroute('**/v1/admin/rate-limit/allowlist?*');
  await page.getByRole('link', { name: /10\.0\.0\.0\/24/ }).waitFor();
});

it('a card that failed says so in its place, and can be tried again at once', async () => {
  await page.route('**/v1/admin/statistics?*', (route) => route.fulfill({ status: 500, body: '' }));
  await page.goto('/');
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Most refused' }) });
  await card.getByRole('alert').getByText('The server has a problem').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.unroute('**/v1/admin/statistics?*');
  // By hand, or by itself where that was quicker.
  await card
    .getByRole('button', { name: 'Try again' })
    .click({ timeout: 2_000 })
    .catch(() => undefined);
  await card.getByText('No refusals in this period.').waitFor();
});
