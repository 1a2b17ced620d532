import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn } from '../../fixtures/browser-suite';
import { expectGoodLooks } from '../../fixtures/looks';
import { countSteps } from '../../fixtures/steps';

const HOUR = 3_600_000;

/** Makes every exemption a day older: new ones are not yet noted as never used. */
async function age(): Promise<void> {
  const database = createClient({ url: `file:${join(product.directory, 'sluice.db')}` });
  for (const kind of ['allowlist', 'overrides', 'grants'])
    await database.execute(`update ${kind} set created_at = created_at - ${24 * HOUR}`);
  database.close();
}

async function prepare(): Promise<void> {
  const allow = (identifier: string, reason: string, more: object = {}) =>
    product.admin('POST', '/v1/admin/rate-limit/allowlist', {
      type: 'ip',
      identifier,
      reason,
      ...more,
    });
  const until = new Date(Date.now() + 6 * HOUR).toISOString();
  await product.admin('PATCH', '/v1/admin/policies', {
    classes: { read: { ip: { limit: 2 } } },
    clients: { confidential: { limit: 1_000_000 } },
  });
  await allow('198.51.100.0/24', 'The office in Lisbon');
  await allow('192.0.2.44', 'A load test in spring');
  await allow('192.0.2.60', 'A monitor that asks now and then');
  await allow('10.0.0.0/8', 'The data centre, as long as it moves', { expires_at: until });
  const override = { class: 'read', limit: 500, window_seconds: 60 };
  const overriding = (identifier: string, reason: string) =>
    product.admin('PUT', '/v1/admin/rate-limit/overrides', { type: 'ip', identifier, reason, ...override });
  await overriding('203.0.113.9', 'A partner who reads a lot');
  await overriding('192.0.2.128/25', 'A customer who announced a network');
  await overriding('203.0.113.80', 'A partner who never came');
  // A month that begins neither today nor yesterday, so that it includes the day that a grant is made older.
  const month_starts_on = ((new Date().getUTCDate() + 10) % 28) + 1;
  const granted = async (name: string, requests: number) => {
    const made = await product.admin('POST', '/v1/admin/api-keys', { name, tier: 'free', month_starts_on });
    const key = (await made.json()) as { id: string; secret: string };
    const grant = { requests, until: new Date(Date.now() + 72 * HOUR).toISOString(), reason: 'A campaign' };
    await product.admin('POST', '/v1/admin/grants', { api_key: key.id, ...grant });
    return key;
  };
  await granted('Newsletter', 500);
  const { secret } = await granted('Reports', 300);
  for (const cost of [1_000, 100]) await product.admin('POST', '/v1/check', { class: 'read', api_key: secret, cost });
  const checks = ['10.0.0.7', '198.51.100.7', '203.0.113.9', '192.0.2.130', '192.0.2.133'].flatMap((ip) =>
    Array.from({ length: 9 }, () => ({ class: 'read', ip })),
  );
  await product.admin('POST', '/v1/check/batch', [...checks, { class: 'read', ip: '192.0.2.60' }]);
  await age();
}
browserSuite({ prepare, signInAt: '/' });

const UNUSED = ['192.0.2.44', '203.0.113.80', 'Newsletter'] as const;
const USED = ['10.0.0.0/8', '192.0.2.128/25', '192.0.2.60', '198.51.100.0/24', '203.0.113.9', 'Reports'];

const rows = () => page.getByRole('table').getByRole('row');
const row = (name: string) => rows().filter({ hasText: name });

/** Names of the exceptions that are left. */
async function listed(): Promise<string[]> {
  const left = (await (await product.admin('GET', '/v1/admin/exceptions')).json()) as {
    identifier: string;
    api_key_name: string | null;
  }[];
  return left.map(({ identifier, api_key_name: key }) => key ?? identifier).sort();
}

it('finds the three exceptions that nobody needs, and ends them in six clicks and a reason', async () => {
  const steps = countSteps();
  await steps.click(page.getByRole('navigation').getByRole('link', { name: 'Exceptions' }));
  await page.getByRole('heading', { level: 1, name: 'Exceptions' }).waitFor();
  // What ends first comes first.
  await rows().nth(1).getByText('ends within a day').waitFor();
  expect(await rows().nth(1).textContent()).toContain('10.0.0.0/8');
  await row('10.0.0.0/8').getByText('wide range').waitFor();
  await row('198.51.100.0/24').getByText('only 198.51.100.7 uses it').waitFor();
  await row('192.0.2.128/25').getByText('only 192.0.2.128/29 uses it').waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await steps.click(page.getByRole('button', { name: 'Note' }));
  await steps.click(page.getByRole('menuitemradio', { name: 'Never used' }));
  await expect.poll(() => rows().count()).toBe(4);
  await steps.click(page.getByRole('checkbox', { name: 'Select all Exceptions shown' }));
  await steps.click(page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Remove…' }));
  const dialog = page.getByRole('dialog', { name: 'Remove 3 exceptions?' });
  // One of each kind.
  for (const name of UNUSED) await dialog.getByRole('listitem').filter({ hasText: name }).waitFor();
  await steps.type(dialog.getByLabel('Reason'), 'Nobody uses them');
  await steps.click(dialog.getByRole('button', { name: 'Remove', exact: true }));
  await page.getByText('3 exceptions removed').waitFor();
  expect([steps.clicks, steps.sentences], steps.taken.join('\n')).toEqual([6, 1]);
  await page.getByText('No exception matches').waitFor();
  expect(await listed()).toEqual(USED);
  await page.getByRole('button', { name: 'Undo all' }).click();
  await page.getByText('All changes were undone.').waitFor();
});

it('removes one of each kind by its menu', async () => {
  for (const [name, action, confirm] of [
    [UNUSED[0], 'Remove…', 'Remove'],
    [UNUSED[1], 'Remove…', 'Remove'],
    [UNUSED[2], 'End grant…', 'End grant'],
  ] as const) {
    await row(name)
      .getByRole('button', { name: `Actions for ${name}` })
      .click();
    await page.getByRole('menuitem', { name: action }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Nobody uses it');
    await dialog.getByRole('button', { name: confirm }).click();
    await row(name).waitFor({ state: 'detached' });
  }
  await page.getByText('No exception matches').waitFor();
  expect(await listed()).toEqual(USED);
});

it('finds those that are needed, and those that others cover', async () => {
  const filterBy = async (name: string) => {
    await page.getByRole('button', { name: 'Note' }).click();
    await page.getByRole('menuitemradio', { name }).click();
  };
  await product.admin('PUT', '/v1/admin/rate-limit/overrides', {
    ...{ type: 'ip', identifier: '10.1.0.0/16', class: 'read', limit: 5, window_seconds: 60, reason: 'Too many' },
  });
  await filterBy('Would have been limited');
  await row('198.51.100.0/24').getByText('at least 7').waitFor();
  await row('Reports').getByText('at least 100').waitFor();
  // Overrides are needed or not once the minute of their requests is over.
  await row('192.0.2.60').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Use', exact: true }).click();
  await page
    .getByRole('columnheader', { name: 'Use', exact: true })
    .and(page.locator('[aria-sort="ascending"]'))
    .waitFor();
  await filterBy('Covered by the allowlist');
  await row('10.1.0.0/16').getByText('covered by 10.0.0.0/8').waitFor();
  await expect.poll(() => rows().count()).toBe(2);
  await expectGoodLooks(page);
});

it('says on the allowlist, too, that a narrower range would do', async () => {
  await page.goto(`${product.origin}/allowlist`);
  await row('198.51.100.0/24').getByText('only 198.51.100.7 uses it').waitFor();
  await expectGoodLooks(page);
});

it('says in the list of overrides, too, that a narrower range would do', async () => {
  await page.goto(`${product.origin}/limits/overrides`);
  await row('192.0.2.128/25').getByText('only 192.0.2.128/29 uses it').waitFor();
  expect(await row('203.0.113.9').getByText('uses it').count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
});

it('offers no end that the policies refuse', async () => {
  const longest = (days: number | null) =>
    product.admin('PATCH', '/v1/admin/policies', { exceptions: { longest_days: days } });
  await longest(3);
  await page.goto(`${product.origin}/allowlist`);
  await page.getByRole('button', { name: 'Add entry' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add to the allowlist' });
  await dialog.getByRole('radio', { name: 'In one day' }).waitFor();
  await dialog.getByRole('radio', { name: 'Never' }).waitFor({ state: 'detached' });
  expect(await dialog.getByRole('radio', { name: 'In seven days' }).count()).toBe(0);
  await dialog.getByRole('textbox', { name: 'Address or range' }).fill('203.0.113.200');
  await dialog.getByLabel('Reason').fill('A load test');
  await dialog.getByRole('radio', { name: 'Custom' }).click();
  const late = new Date(Date.now() + 96 * HOUR).toISOString().slice(0, 16);
  await dialog.getByLabel('Expiry date and time').fill(late);
  await dialog.getByText('Must end within 3 days, as the policies say.').waitFor();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.locator('[aria-invalid="true"]').waitFor();
  await expectGoodLooks(page);
  await dialog.getByRole('radio', { name: 'In one day' }).click();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('203.0.113.200 bypasses rate limiting').waitFor();
  await longest(null);
});

it('gives one an end in place, on a phone too', async () => {
  const phone = await signedIn({ viewport: { width: 390, height: 780 } });
  await phone.page.goto(`${product.origin}/exceptions`);
  await phone.page.getByRole('button', { name: 'Actions for 203.0.113.9' }).click();
  await phone.page.getByRole('menuitem', { name: 'Change end…' }).click();
  const dialog = phone.page.getByRole('dialog', { name: 'Change the expiry of 203.0.113.9' });
  await dialog.getByRole('radio', { name: 'In seven days' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await phone.page.getByText(/203\.0\.113\.9 ends /).waitFor();
  const list = (await (await product.admin('GET', '/v1/admin/exceptions')).json()) as {
    identifier: string;
    ends_at: string;
  }[];
  const end = list.find(({ identifier }) => identifier === '203.0.113.9')?.ends_at ?? '';
  const days = (Date.parse(end) - Date.now()) / (24 * HOUR);
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);
  expect(await phone.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  // The list was scrolled to the row, and the toast and the header covered parts of others.
  await phone.page.reload();
  await phone.page.getByRole('button', { name: 'Actions for 203.0.113.9' }).waitFor();
  expect(await axeFindings(phone.page)).toEqual([]);
  expect(phone.complaints).toEqual([]);
  expect(complaints).toEqual([]);
});
