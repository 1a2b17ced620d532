import { describe, expect, it } from 'vitest';
import { axeFindings, openSignedIn } from '../fixtures/browser';
import { browserSuite, product, QUIET, signedIn, visitor } from '../fixtures/browser-suite';

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

describe('a session that ends while a form is open', () => {
  it('asks for the password over the page, and what was typed is still there', async () => {
    const { page, context } = await visitor();
    await openSignedIn(page, '/allowlist');
    await page.getByRole('button', { name: 'Add entry' }).first().click();
    await page.getByLabel('Address or range').fill('192.0.2.77');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Typed before the session ended');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('E-mail').fill('owner@example.com');
    await dialog.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect(page.getByRole('textbox', { name: 'Reason' }).inputValue()).resolves.toBe(
      'Typed before the session ended',
    );
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: /192\.0\.2\.77/ }).waitFor();
  });
});

describe('a viewer', () => {
  it('reads everything and is told which role a change needs', async () => {
    await product.admin('POST', '/v1/admin/members', {
      email: 'v@example.com',
      role: 'viewer',
      password: 'only looking at pages',
    });
    const { page } = await visitor();
    await openSignedIn(page, '/allowlist', 'v@example.com', 'only looking at pages');
    await page.getByText('changes need the operator role').waitFor();
    await expect(page.getByRole('button', { name: 'Add entry' }).first().isDisabled()).resolves.toBe(true);
    await page.getByRole('link', { name: /10\.0\.0\.0\/24/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe('the server is lost', () => {
  it('says so in the place of the list, and loads it once the server answers', async () => {
    const { page } = await signedIn();
    await page.route('**/v1/admin/rate-limit/allowlist**', (route) => route.abort());
    await page.goto('/allowlist');
    await page.getByText('No response from the server').waitFor();
    await page.unroute('**/v1/admin/rate-limit/allowlist**');
    await page.getByRole('link', { name: /10\.0\.0\.0\/24/ }).waitFor();
  });
});

describe('by keyboard alone', () => {
  it('skips to the content, opens the palette and goes to a page', async () => {
    const { page } = await signedIn();
    await page.goto('/keys');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    await expect(page.evaluate(() => document.activeElement?.textContent)).resolves.toBe('Skip to content');
    // What is typed before the palette is fetched is not lost.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('audit');
    await page.getByRole('option', { name: 'Audit log', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  });
});

describe('limits', () => {
  it('spells out the effect, saves only what changed, and tells which class a path belongs to', async () => {
    const { page } = await signedIn();
    await page.goto('/limits');
    const limit = page.getByLabel('Sensitive, per address, requests');
    await limit.fill('6');
    await page.getByText('About one every 10 s. Now 30 in 1 min.').waitFor();
    // Leases need counters in Redis.
    await page.getByRole('tab', { name: 'Route rules' }).waitFor();
    expect(await page.getByLabel(/, lease$/).count()).toBe(0);
    await page.getByLabel('Reason').fill('Fewer transfers');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save changes' }).click();
    expect((await sent).postDataJSON()).toEqual({ classes: { sensitive: { ip: { limit: 6 } } } });
    await page.getByText('Policies saved').waitFor();
    await page.getByRole('tab', { name: 'Route rules' }).click();
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByLabel('Path of rule 1').fill('/api/transfers/*');
    await page.getByLabel('Path', { exact: true }).fill('/api/transfers/7');
    await page.getByText('By rule 1.').waitFor();
  });
});
