import { expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn } from '../../fixtures/browser-suite';

browserSuite({ signInAt: '/limits' });

const check = async (ip: string, times: number) =>
  product.admin(
    'POST',
    '/v1/check/batch',
    Array.from({ length: times }, () => ({ class: 'read', ip })),
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
  await page.getByText('No request has come to it yet.').waitFor();
  await check('203.0.113.7', 32);
  await check('203.0.113.8', 21);
  await check('203.0.113.9', 20);
  await page.getByText('Would have refused 13 of 73 requests, of 2 addresses, first 203.0.113.7.').waitFor();
  await page.getByText('would refuse 12').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.goto(`${product.origin}/`);
  await page.getByRole('link', { name: 'Read per address' }).click();
  await page.getByText('Would have refused 13 of 73 requests').waitFor();
});

it('promotes it, which Undo takes back', async () => {
  await page.getByRole('button', { name: 'Promote…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Promote the candidate of Read per address?' });
  await dialog.getByText('100 in 1 min becomes 20 in 1 min').waitFor();
  await dialog.getByLabel('Reason').fill('It refused no customer');
  await dialog.getByRole('button', { name: 'Promote' }).click();
  await page.getByText('Read per address is 20 in 1 min now').waitFor();
  await page.getByText('No limit is being tried').waitFor();
  const policies = async () => (await product.admin('GET', '/v1/admin/policies')).json();
  expect((await policies()).classes.read.ip).toEqual({ limit: 20, window_seconds: 60 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await policies()).classes.read.ip.limit).toBe(100);
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
  await page.getByText('Would have refused 3 of 5 requests, of 1 client, first Store locator.').waitFor();
  const named = page.getByRole('main').getByRole('link', { name: 'Store locator' });
  expect(await named.getAttribute('href')).toBe(`/keys/${id}`);
  expect(await page.getByText(id).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await product.admin('DELETE', '/v1/admin/candidates', { place });
});

it('is changed and removed on a phone', async () => {
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
  await phone.page.getByText('No limit is being tried').waitFor();
  expect(phone.complaints).toEqual([]);
  expect(complaints).toEqual([]);
});
