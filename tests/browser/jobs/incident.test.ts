import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { expect, it } from 'vitest';
import { demand, rollups } from '@/drizzle/schema';
import { findStart } from '@/lib/statistics/step';
import { MINUTE } from '@/lib/units';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn, visitor } from '../../fixtures/browser-suite';
import { CONSOLE_TITLES } from '../../fixtures/console-pages';
import { expectGoodLooks } from '../../fixtures/looks';

/** What one address wrote ten minutes ago. */
async function written(): Promise<void> {
  const database = createClient({ url: `file:${join(product.directory, 'sluice.db')}` });
  const start = findStart(Date.now() - 10 * MINUTE, MINUTE);
  const counts = { p0: 40, p1: 0, p2: 0, p3: 0, p4: 0, p5: 0, refused: 0 };
  const drizzled = drizzle(database);
  await drizzled.insert(demand).values({ start, subject: 'ip', class: 'write', identifier: '203.0.113.8', ...counts });
  await drizzled.insert(rollups).values({ step: 60, start, class: 'write', outcome: 'allowed', reason: '', count: 40 });
  database.close();
}

async function prepare(): Promise<void> {
  await written();
  await product.admin('PATCH', '/v1/admin/policies', { classes: { read: { ip: { limit: 0 } } } });
}
browserSuite({ prepare, signInAt: '/' });

const bar = () => page.getByRole('region', { name: 'Incident' });
const check = async () => (await product.admin('POST', '/v1/check', { class: 'read', ip: '203.0.113.9' })).json();

/** Holds back the first of the next two readings of the incident until the page has seen the second, and answers the titles that dialogs have meanwhile. */
async function titlesWhileRead(): Promise<() => Promise<string[]>> {
  let readings = 0;
  let seen = () => {};
  const second = new Promise<void>((resolve) => {
    seen = resolve;
  });
  page.on('requestfinished', (request) => {
    if (readings > 1 && request.method() === 'GET' && request.url().endsWith('/v1/admin/incident')) {
      void page.evaluate(() => new Promise(requestAnimationFrame)).then(seen, seen);
    }
  });
  await page.route('**/v1/admin/incident', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    readings += 1;
    if (readings === 1) await second;
    await route.continue();
  });
  const titles = await page.evaluateHandle(() => {
    const titles = new Set<string>();
    const look = () => {
      for (const title of document.querySelectorAll('[role="dialog"] h2')) titles.add(title.textContent ?? '');
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    return titles;
  });
  return () => titles.evaluate((titles) => [...titles]);
}

it('starts by keyboard alone from the palette, and applies to the next request', async () => {
  await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
  expect(await check()).toMatchObject({ allowed: false });
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/Search pages/).pressSequentially('incident');
  await page.getByRole('option', { name: 'Incident: start', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Start an incident' });
  await dialog.getByText('Requests are counted as usual.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByLabel('Reason').fill('Paying customers are refused');
  await page.keyboard.press('Control+Enter');
  await bar().getByText('Incident: observe only').waitFor();
  await bar().getByText('Paying customers are refused').waitFor();
  expect(await check()).toMatchObject({ allowed: true, status: 'observing', would_refuse: 'rate_limit_exceeded' });
});

it('is on every page, also on a phone, and is changed in the same dialog', async () => {
  for (const path of Object.keys(CONSOLE_TITLES).filter((each) => !each.includes(':'))) {
    await page.goto(`${product.origin}${path}`);
    await bar().getByText('Incident: observe only').waitFor();
  }
  await bar().getByRole('button', { name: 'End now' }).waitFor();
  await expectGoodLooks(page);
  const phone = await signedIn({ viewport: { width: 390, height: 780 } });
  await phone.page.goto(`${product.origin}/keys`);
  const bars = phone.page.getByRole('region', { name: 'Incident' });
  await bars.getByRole('button', { name: 'End now' }).waitFor();
  expect(await phone.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  expect(await axeFindings(phone.page)).toEqual([]);

  await page.goto(`${product.origin}/`);
  await bar().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Incident: change' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the incident' });
  await dialog.getByRole('combobox', { name: 'Mode' }).click();
  await page.getByRole('option', { name: 'Read-only' }).click();
  await dialog.getByText(/it would have refused up to 40 of the class write \(most of 203\.0\.113\.8\)/).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('combobox', { name: 'Mode' }).click();
  await page.getByRole('option', { name: 'A factor on all limits' }).click();
  await dialog.getByLabel('Factor').fill('20');
  await dialog.getByLabel('Reason').fill('The database is at its limit');
  await dialog.getByRole('button', { name: 'Change' }).click();
  await dialog.getByText('Enter 0.1 to 10.').waitFor();
  await dialog.getByLabel('Factor').fill('0.5');
  // After what was let through until now; the limit is 50 a minute.
  await dialog
    .getByText(/classes\.write\.ip: refuses 15 instead of 0 of 40 units in the last hour: 203\.0\.113\.8\./)
    .waitFor();
  await dialog.getByRole('button', { name: 'Change' }).click();
  await bar().getByText('all limits × 0.5').waitFor();
});

it('ends with one click, and comes back with Undo', async () => {
  await bar().getByRole('button', { name: 'End now' }).click();
  await page.getByText('The incident has ended').hover();
  await bar().getByText('Incident').waitFor({ state: 'detached' });
  expect(await check()).toMatchObject({ allowed: false });
  await page.locator('li', { hasText: 'The incident has ended' }).getByRole('button', { name: 'Undo' }).click();
  await bar().getByText('all limits × 0.5').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Incident: end' }).click();
  await bar().getByText('Incident').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

it('starts with one key and ends with another, which the list of shortcuts says, but for those who may not', async () => {
  await page.goto(`${product.origin}/keys`);
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByText('Start or change an incident').waitFor();
  await list.getByText('End the incident').waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.keyboard.press('i');
  const dialog = page.getByRole('dialog', { name: 'Start an incident' });
  await dialog.getByLabel('Reason').fill('Paying customers are refused');
  const titles = await titlesWhileRead();
  await page.keyboard.press('Control+Enter');
  await bar().getByText('Incident: observe only').waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await titles()).toEqual(['Start an incident']);
  await page.keyboard.press('Shift+I');
  await page.getByText('The incident has ended').waitFor();
  await bar().getByText('Incident').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

it('says nothing of an incident to visitors of the reference', async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await product.admin('PUT', '/v1/admin/incident', { mode: 'observe', until, reason: 'Paying customers are refused' });
  const { page: stranger, complaints: ofStranger } = await visitor();
  await stranger.goto(`${product.origin}/docs/allowlist`);
  await stranger.getByRole('link', { name: 'Console' }).waitFor();
  expect(await stranger.getByText('Incident: observe only').count()).toBe(0);
  expect(ofStranger).toEqual([]);
});
