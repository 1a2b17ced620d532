import { expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn } from '../../fixtures/browser-suite';

const NAMES = ['alpha', 'beta', 'delta', 'gamma'];
const ids = new Map<string, string>();

async function prepare(): Promise<void> {
  for (const name of NAMES) {
    const made = await product.admin('POST', '/v1/admin/api-keys', { name, tier: 'free' });
    ids.set(name, ((await made.json()) as { id: string }).id);
  }
  for (const last of [1, 2, 3]) {
    const entry = { type: 'ip', identifier: `198.51.100.${last}`, reason: 'Load test' };
    await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry);
  }
  const override = {
    class: 'read',
    type: 'ip',
    identifier: '192.0.2.1',
    limit: 5,
    window_seconds: 60,
    reason: 'Partner',
  };
  await product.admin('PUT', '/v1/admin/rate-limit/overrides', override);
  const grant = { requests: 100, until: new Date(Date.now() + 86_400_000).toISOString(), reason: 'Until Friday' };
  // Two that read alike.
  for (let n = 0; n < 2; n += 1)
    await product.admin('POST', '/v1/admin/grants', { api_key: ids.get('gamma'), ...grant });
}
browserSuite({ prepare, signInAt: '/keys' });

const select = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const bar = () => page.getByRole('region', { name: 'Selected rows' });

async function tiers(): Promise<string[]> {
  const keys = (await (await product.admin('GET', '/v1/admin/api-keys?sort=name')).json()) as { tier: string }[];
  return keys.map(({ tier }) => tier);
}

it('gives several keys another tier, chosen with Shift, which each can be taken back', async () => {
  await select('alpha').click();
  await select('delta').click({ modifiers: ['Shift'] });
  await bar().getByText('3 selected').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await bar().getByRole('button', { name: 'Change tier…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the tier of 3 keys' });
  await dialog.getByRole('listitem').first().waitFor();
  expect(await dialog.getByRole('list').getByRole('listitem').allTextContents()).toEqual(['alpha', 'beta', 'delta']);
  await dialog.getByLabel('Tier').click();
  await page.getByRole('option', { name: 'Business' }).click();
  await dialog.getByLabel('Reason').fill('Upgraded by sales');
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Change tier' }).click();
  await page.getByText('The tier of 3 keys is changed').waitFor();
  await bar().waitFor({ state: 'detached' });
  expect(await tiers()).toEqual(['business', 'business', 'business', 'free']);
  const [newest] = (await (await product.admin('GET', '/v1/admin/audit?limit=1')).json()) as { seq: number }[];
  expect((await product.admin('POST', `/v1/admin/audit/${newest?.seq}/undo`)).status).toBe(200);
  expect(await tiers()).toEqual(['business', 'business', 'free', 'free']);
});

it('says which were refused and why, and tries only those again', async () => {
  await page.reload();
  await page.getByRole('checkbox', { name: 'Select all API keys shown' }).click();
  await select('gamma').click();
  await bar().getByText('3 selected').waitFor();
  await bar().getByRole('button', { name: 'Revoke…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke 3 keys?' });
  await dialog
    .getByRole('listitem')
    .filter({ hasText: /^alpha\S.*never used/ })
    .waitFor();
  await dialog.getByLabel('Reason').fill('The contracts have ended');
  // Somebody else was faster with one of them.
  await product.admin('DELETE', `/v1/admin/api-keys/${ids.get('beta')}`);
  await dialog.getByRole('button', { name: 'Revoke keys' }).click();
  const results = page.getByRole('dialog', { name: '1 of 3 keys refused' });
  await results.getByRole('listitem').filter({ hasText: 'beta' }).first().waitFor();
  expect(await results.getByRole('listitem').count()).toBe(3);
  expect(await axeFindings(page)).toEqual([]);
  await results.getByRole('button', { name: 'Try 1 again' }).click();
  await results.getByRole('button', { name: 'Try 1 again', disabled: false }).waitFor();
  await results.getByRole('button', { name: 'Done' }).click();
  expect(await tiers()).toEqual(['free']);
});

it('removes exceptions of every kind at once', async () => {
  await page.goto('/exceptions');
  await page.getByRole('checkbox', { name: 'Select all Exceptions shown' }).click();
  await bar().getByText('6 selected').waitFor();
  await select('198.51.100.2, allowlist entry: no rate limit').click();
  await bar().getByRole('button', { name: 'Remove…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove 5 exceptions?' });
  await dialog.getByLabel('Reason').fill('Nobody needs them');
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('5 exceptions removed').waitFor();
  const left = (await (await product.admin('GET', '/v1/admin/exceptions')).json()) as { identifier: string }[];
  expect(left.map(({ identifier }) => identifier)).toEqual(['198.51.100.2']);
});

it('fits a phone', async () => {
  const phone = await signedIn({ viewport: { width: 390, height: 844 } });
  await phone.page.goto('/allowlist');
  await phone.page.getByRole('checkbox', { name: 'Select 198.51.100.2' }).click();
  await phone.page.getByRole('region', { name: 'Selected rows' }).getByText('1 selected').waitFor();
  expect(await axeFindings(phone.page)).toEqual([]);
  expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(phone.complaints).toEqual([]);
  expect(complaints).toEqual([]);
});
