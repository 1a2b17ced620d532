import { expect, it } from 'vitest';
import { settled } from '../../../demo/browser.mjs';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn } from '../../fixtures/browser-suite';
import { expectGoodLooks } from '../../fixtures/looks';

browserSuite({ signInAt: '/limits' });

/** Opens one of the candidates from the overview, once that has loaded. */
const openFromOverview = async (name: string) => {
  await page.goto('/');
  await settled(page);
  await page.getByRole('link', { name, exact: true }).click();
  await page.waitForURL('/limits?tab=candidates');
};

const check = async (ip: string, times: number, route: object = { class: 'read' }) =>
  product.admin(
    'POST',
    '/v1/check/batch',
    Array.from({ length: times }, () => ({ ...route, ip })),
  );

it('tries a limit for an hour beside the live one, and sees whom it would have refused', async () => {
  await page.getByRole('tab', { name: 'Candidates' }).click();
  await page.getByRole('button', { name: 'Try a limit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Try a limit' });
  await dialog.getByText('Live: 100 in 1 min.').waitFor();
  await dialog.getByLabel('Requests').fill('20');
  await dialog.getByRole('radio', { name: 'In one hour' }).click();
  await dialog.getByLabel('Reason').fill('Is 20 a minute enough?');
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Try' }).click();
  await page.getByText('Its counters start empty. They cover a full window after 1 min.').waitFor();
  await page.getByText('No requests yet.').waitFor();
  await check('203.0.113.7', 32);
  await check('203.0.113.8', 21);
  await check('203.0.113.9', 20);
  await page.getByText('Would have refused 13 of 73 requests from 2 addresses (the first was 203.0.113.7).').waitFor();
  await page.getByText('would refuse 12').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await openFromOverview('Read per address');
  await page.getByText('Would have refused 13 of 73 requests').waitFor();
  await page.getByRole('button', { name: 'Promote…' }).waitFor();
});

it('promotes it, which Undo takes back', async () => {
  await page.getByRole('button', { name: 'Promote…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Promote the candidate of Read per address?' });
  await dialog.getByText('100 in 1 min becomes 20 in 1 min').waitFor();
  await dialog.getByLabel('Reason').fill('It refused no customer');
  await dialog.getByRole('button', { name: 'Promote' }).click();
  await page.getByText('Read per address is 20 in 1 min now').hover();
  await page.getByText('No candidates').waitFor();
  const policies = async () => (await product.admin('GET', '/v1/admin/policies')).json();
  expect((await policies()).classes.read.ip).toEqual({ limit: 20, window_seconds: 60 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await policies()).classes.read.ip.limit).toBe(100);
  // What was promoted is tried again.
  await page.getByRole('button', { name: 'Promote…' }).waitFor();
  await product.admin('DELETE', '/v1/admin/candidates', { place: 'classes.read.ip' });
});

it('names the API key that it would have refused', async () => {
  const key = { name: 'Store locator', tier: 'free', client_type: 'confidential' };
  const made = await product.admin('POST', '/v1/admin/api-keys', key);
  const { id, secret } = (await made.json()) as { id: string; secret: string };
  const place = 'clients.confidential';
  const candidate = { place, limit: 2, window_seconds: 60, reason: 'Is it enough for every key?' };
  await product.admin('PUT', '/v1/admin/candidates', candidate);
  const checks = Array.from({ length: 5 }, () => ({ class: 'read', api_key: secret }));
  await product.admin('POST', '/v1/check/batch', checks);
  await page.goto(`${product.origin}/limits?tab=candidates`);
  await page.getByText('Would have refused 3 of 5 requests from Store locator.').waitFor();
  const named = page.getByRole('main').getByRole('link', { name: 'Store locator' });
  expect(await named.getAttribute('href')).toBe(`/keys/${id}`);
  expect(await page.getByText(id).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await product.admin('DELETE', '/v1/admin/candidates', { place });
});

const REPORT = { method: 'GET', path: '/api/reports/7' };
const rules = async () => (await product.admin('GET', '/v1/admin/route-rules')).json();

it('tries route rules beside the live ones, and sees whom they would have refused', async () => {
  await product.admin('PUT', '/v1/admin/route-rules', [{ method: '*', path: '/api/transfers', class: 'sensitive' }]);
  await page.goto('/limits?tab=routes');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('Path of rule 2').fill('reports');
  await page.getByRole('button', { name: 'Try as candidate…' }).click();
  await page.getByRole('button', { name: 'Path of rule 2' }).waitFor();
  await page.getByLabel('Path of rule 2').fill('/api/reports/*');
  await page.getByLabel('Class of rule 2').selectOption('read');
  await page.getByLabel('costs').last().fill('5');
  await page.getByLabel('Reason').fill('Reports are costly');
  await page.getByRole('button', { name: 'Try as candidate…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Try route rules' });
  await dialog.getByText('any method /api/reports/* is Read, costs 5').waitFor();
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('Reports are costly');
  await expectGoodLooks(page);
  await dialog.getByRole('radio', { name: 'In one hour' }).click();
  await dialog.getByRole('button', { name: 'Try' }).click();
  await page.getByText('The route rules are a candidate now').waitFor();
  await page.getByText('Other candidate rules exist.').waitFor();
  await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
  expect(await page.getByLabel('Path of rule 2').count()).toBe(0);
  expect(await rules()).toHaveLength(1);
  await page.getByRole('link', { name: 'Candidates' }).click();
  await page.getByText('No requests yet.').waitFor();
  await check('203.0.113.17', 32, REPORT);
  await check('203.0.113.18', 21, REPORT);
  await check('203.0.113.19', 20, REPORT);
  await page.getByText('Would have refused 13 of 73 requests from 2 callers (the first was 203.0.113.17).').waitFor();
  await page.getByText('would refuse 12').waitFor();
  await page.getByRole('link', { name: '203.0.113.17' }).waitFor();
  await expectGoodLooks(page);
  await openFromOverview('Route rules');
  await page.getByText('Would have refused 13 of 73 requests').waitFor();
});

it('changes them from where they are edited', async () => {
  await page.getByRole('link', { name: 'Change…' }).click();
  await page.getByRole('button', { name: 'Edit them' }).click();
  expect(await page.getByLabel('Path of rule 2').inputValue()).toBe('/api/reports/*');
  await page.getByLabel('costs').last().fill('4');
  await page.getByRole('button', { name: 'Edit them' }).waitFor({ state: 'detached' });
  await expectGoodLooks(page);
  await page.getByRole('button', { name: 'Try as candidate…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the candidate route rules' });
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('Reports are costly');
  await dialog.getByRole('button', { name: 'Try' }).click();
  await page.getByRole('link', { name: 'Candidates' }).click();
  await page.getByText('any method /api/reports/* is Read, costs 4').waitFor();
  await page.getByText('No requests yet.').waitFor();
});

it('promotes them, which Undo takes back', async () => {
  await page.getByRole('button', { name: 'Promote…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Promote the candidate route rules?' });
  await dialog.getByLabel('Reason').fill('They refused no customer');
  await dialog.getByRole('button', { name: 'Promote' }).click();
  await page.getByText('The candidate route rules are live now').hover();
  await page.getByText('No candidates').waitFor();
  expect(await rules()).toHaveLength(2);
  await page.locator('[data-sonner-toast]', { hasText: 'are live now' }).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(rules).toHaveLength(1);
});

it('removes them on a phone, beside a limit that is tried', async () => {
  const reason = 'Too many';
  const candidate = [{ ...REPORT, class: 'sensitive' }];
  await product.admin('PUT', '/v1/admin/candidates/route-rules', { rules: candidate, reason });
  await product.admin('PUT', '/v1/admin/candidates', { place: 'clients.public', limit: 5, window_seconds: 60, reason });
  const phone = await signedIn({ viewport: { width: 390, height: 780 } });
  await phone.page.goto('/limits?tab=candidates');
  const card = phone.page.locator('section', { has: phone.page.getByRole('heading', { name: 'Route rules' }) });
  await card.getByText('Removed').waitFor();
  expect(await axeFindings(phone.page)).toEqual([]);
  await card.getByRole('button', { name: 'Remove…' }).click();
  await phone.page.getByRole('dialog').getByLabel('Reason').fill('Not needed');
  await phone.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await phone.page.getByText('The candidate route rules are removed').waitFor();
  await card.waitFor({ state: 'detached' });
  expect(phone.complaints).toEqual([]);
});

it('is changed and removed on a phone', async () => {
  for (const { place } of (await (await product.admin('GET', '/v1/admin/candidates')).json()) as { place: string }[])
    await product.admin('DELETE', '/v1/admin/candidates', { place });
  const candidate = { place: 'clients.public', limit: 5, window_seconds: 60, reason: 'Too many keys in pages' };
  await product.admin('PUT', '/v1/admin/candidates', candidate);
  const phone = await signedIn({ viewport: { width: 390, height: 780 } });
  await phone.page.goto(`${product.origin}/limits?tab=candidates`);
  await phone.page.getByRole('button', { name: 'Change…' }).click();
  const dialog = phone.page.getByRole('dialog', { name: 'Change the candidate of Public clients' });
  await dialog.getByLabel('Requests').fill('6');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await phone.page.getByText('6 in 1 min', { exact: true }).waitFor();
  expect(await phone.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  expect(await axeFindings(phone.page)).toEqual([]);
  await phone.page.getByRole('button', { name: 'Remove…' }).click();
  await phone.page.getByRole('dialog').getByLabel('Reason').fill('Not needed');
  await phone.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await phone.page.getByText('No candidates').waitFor();
  expect(phone.complaints).toEqual([]);
  expect(complaints).toEqual([]);
});
