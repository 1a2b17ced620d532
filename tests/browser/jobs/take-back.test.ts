import { expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product } from '../../fixtures/browser-suite';

let secret = '';

async function prepare(): Promise<void> {
  await product.admin('PATCH', '/v1/admin/policies', { clients: { confidential: { limit: 1_000_000 } } });
  const key = await product.admin('POST', '/v1/admin/api-keys', { name: 'billing', tier: 'free' });
  secret = ((await key.json()) as { secret: string }).secret;
  await use(400);
}
browserSuite({ prepare, signInAt: '/keys' });

const use = (cost: number) => product.admin('POST', '/v1/check', { class: 'read', api_key: secret, cost });
const usage = async () => {
  const answer = await fetch(`${product.origin}/v1/usage`, { headers: { 'X-API-Key': secret } });
  return ((await answer.json()) as { usage: number }).usage;
};

it('takes back a quota reset that hit the wrong key, with what was used since kept', async () => {
  await page.getByRole('button', { name: 'Actions for billing' }).click();
  await page.getByRole('menuitem', { name: 'Reset usage…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reset usage of billing?' });
  await dialog.getByLabel('Reason').fill('Agreed with support');
  await dialog.getByRole('button', { name: 'Reset usage' }).click();
  await page.getByText('Usage of billing was reset').waitFor();
  expect(await usage()).toBe(0);
  await use(30);
  // Noticed later, when the toast has gone.
  await page.goto(`${product.origin}/audit`);
  await page.getByText('reset the usage of billing from 400 to 0').first().click();
  await page.getByRole('button', { name: 'Undo this change' }).click();
  await expect.poll(usage).toBe(430);
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
