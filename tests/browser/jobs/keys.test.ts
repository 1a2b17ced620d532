import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product } from '../../fixtures/browser-suite';
import { countSteps, type Steps } from '../../fixtures/steps';

interface Key {
  id: string;
  name: string;
  secret: string;
  limit: number;
  expires_at: string | null;
}

const made = new Map<string, Key>();

async function newKey(name: string, used: number): Promise<void> {
  const answer = await product.admin('POST', '/v1/admin/api-keys', { name, tier: 'free' });
  const key = (await answer.json()) as Key;
  made.set(name, key);
  if (used > 0) await product.admin('POST', '/v1/check', { class: 'read', api_key: key.secret, cost: used });
}

async function prepare(): Promise<void> {
  await product.admin('PATCH', '/v1/admin/policies', { clients: { confidential: { limit: 1_000_000 } } });
  await newKey('archive', 0);
  await newKey('billing', 400);
  await newKey('partner', 990);
  await newKey('website', 100);
}

browserSuite({ prepare, signInAt: '/keys' });

const dialog = () => page.getByRole('dialog');
const names = () => page.getByRole('table').getByRole('row').nth(1).getByRole('link').first();
const read = async (name: string): Promise<Key> =>
  (await (await product.admin('GET', `/v1/admin/api-keys/${made.get(name)?.id}`)).json()) as Key;
const statusWith = async (secret: string) =>
  (await fetch(`${product.origin}/v1/usage`, { headers: { 'X-API-Key': secret } })).status;

function within(steps: Steps, clicks: number, sentences: number): void {
  expect(steps.clicks, steps.taken.join('\n')).toBeLessThanOrEqual(clicks);
  expect(steps.sentences, steps.taken.join('\n')).toBeLessThanOrEqual(sentences);
}

/** The midnight after the coming Friday of this browser's zone, UTC here; the day of `time` counts as one. */
function fridayAfter(time: Date): string {
  const friday = new Date(time);
  friday.setUTCDate(friday.getUTCDate() + ((5 - friday.getUTCDay() + 7) % 7) + 1);
  friday.setUTCHours(0, 0, 0, 0);
  return friday.toISOString();
}

async function sorted(head: Locator, steps: Steps): Promise<void> {
  await steps.click(head.getByRole('button'));
  await page.getByRole('columnheader', { name: 'Runs out' }).and(page.locator('[aria-sort="ascending"]')).waitFor();
}

describe('who runs out of quota', () => {
  it('is found and given room until Friday: four clicks and a sentence', async () => {
    const steps = countSteps();
    await sorted(page.getByRole('columnheader', { name: 'Runs out' }), steps);
    await names().getByText('partner').waitFor();
    await steps.click(names());
    await page.getByText(/\b10 remaining/).waitFor();
    await steps.click(page.getByRole('button', { name: 'Grant requests' }));
    await dialog().getByText('1,000 + 100 = 1,100').waitFor();
    await dialog().getByText('It has 110 instead of 10 requests left.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await steps.type(dialog().getByRole('textbox', { name: 'Reason' }), 'Their campaign runs until Friday');
    await steps.click(dialog().getByRole('button', { name: 'Grant', exact: true }));
    await page.getByText('partner has 100 more requests').hover();
    await page.getByText('110 remaining').waitFor();
    within(steps, 4, 1);
    const [grant] = (await (
      await product.admin('GET', `/v1/admin/grants?api_key=${made.get('partner')?.id}`)
    ).json()) as { until: string; requests: number }[];
    expect(grant?.requests).toBe(100);
    // The midnight after a Friday of this browser's zone, UTC here.
    expect(new Date(Date.parse(grant?.until ?? '') - 1).getUTCDay()).toBe(5);
    expect((await read('partner')).limit).toBe(1_100);
  });

  it('is undone from the toast, and the limit is what it was', async () => {
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/\b10 remaining/).waitFor();
    expect((await read('partner')).limit).toBe(1_000);
  });
});

describe('a key that is lent 5,000 requests until Friday', () => {
  it('has them until the end of the coming Friday, which the exceptions say', async () => {
    await page.goto(`/keys/${made.get('website')?.id}`);
    await page.getByRole('button', { name: 'Grant requests' }).click();
    await dialog().getByLabel('Requests', { exact: true }).fill('5000');
    const chosenAt = new Date();
    await dialog().getByRole('radio', { name: 'Friday' }).click();
    await dialog().getByText('1,000 + 5,000 = 6,000').waitFor();
    // A date of one's own starts with that of the preset.
    await dialog().getByRole('radio', { name: 'Custom' }).click();
    const friday = fridayAfter(chosenAt).slice(0, 16);
    await expect.poll(() => dialog().getByLabel('Date and time of the end').inputValue()).toBe(friday);
    await dialog().getByRole('radio', { name: 'Friday' }).click();
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('Their archive moves');
    await dialog().getByRole('button', { name: 'Grant', exact: true }).click();
    await page.getByText('website has 5,000 more requests').waitFor();
    expect((await read('website')).limit).toBe(6_000);
    const [lent] = (await (await product.admin('GET', '/v1/admin/exceptions?kind=grant')).json()) as {
      requests: number;
      ends_at: string;
    }[];
    expect(lent?.requests).toBe(5_000);
    expect([fridayAfter(chosenAt), fridayAfter(new Date())]).toContain(lent?.ends_at);
    await page.goto('/exceptions');
    const row = page.getByRole('row').filter({ hasText: 'website' });
    await row.getByText('5,000 requests more').waitFor();
    const end = row.locator('time').first();
    expect(await end.getAttribute('datetime')).toBe(lent?.ends_at);
  });
});

describe('a leaked secret', () => {
  it('is worth nothing after five clicks and a sentence', async () => {
    await page.goto('/keys');
    const steps = countSteps();
    await steps.click(page.getByRole('button', { name: 'Actions for billing' }));
    await steps.click(page.getByRole('menuitem', { name: 'Rotate secret…' }));
    await steps.click(page.getByRole('combobox', { name: 'Grace period' }));
    await steps.click(page.getByRole('option', { name: /None/ }));
    await dialog().getByText('stops working at once.').waitFor();
    await steps.type(dialog().getByRole('textbox', { name: 'Reason' }), 'It was in a public repository');
    await steps.click(dialog().getByRole('button', { name: 'Rotate', exact: true }));
    await page.getByText('New secret of billing').waitFor();
    const secret = (await dialog().locator('code').first().textContent()) ?? '';
    within(steps, 5, 1);
    expect(await statusWith(made.get('billing')?.secret ?? '')).toBe(401);
    expect(await statusWith(secret)).toBe(200);
    await page.getByRole('button', { name: 'I have stored it' }).click();
  });
});

describe('a key for a quarter', () => {
  it('is made with three clicks and its name', async () => {
    await page.goto('/keys');
    const steps = countSteps();
    await steps.click(page.getByRole('button', { name: 'New key' }));
    await steps.type(dialog().getByLabel('Name', { exact: true }), 'summer campaign');
    await steps.click(dialog().getByRole('radio', { name: 'In 90 days' }));
    await steps.click(dialog().getByRole('button', { name: 'Create key' }));
    await page.getByText('This is the only time it is shown.').waitFor();
    within(steps, 3, 1);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const keys = (await (await product.admin('GET', '/v1/admin/api-keys?q=summer')).json()) as Key[];
    const days = (Date.parse(keys[0]?.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
  });
});

describe('the page of a key', () => {
  it('shows its live limit, where it is used from and its refusals, and is accessible', async () => {
    const { id, secret } = made.get('website') ?? { id: '', secret: '' };
    const checks = Array.from({ length: 3 }, () => ({
      method: 'GET',
      path: '/shop/items/7',
      ip: '203.0.113.30',
      api_key: secret,
    }));
    await product.admin('POST', '/v1/check/batch', checks);
    await product.admin('POST', '/v1/check', { class: 'read', ip: '203.0.113.30', api_key: secret, cost: 1_000 });
    await page.goto(`/keys/${id}`);
    await page.getByText('of 1,000,000 in 1 min').waitFor();
    await page.getByRole('link', { name: '203.0.113.30' }).first().waitFor();
    await page.getByRole('radio', { name: 'Paths' }).click();
    await page.getByText('/shop/items', { exact: true }).waitFor();
    await page
      .getByText('Address limit')
      .or(page.getByText('Quota', { exact: true }))
      .first()
      .waitFor();
    await page.getByText(`${product.origin}/v1/usage`).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints.filter((line) => !/401/.test(line))).toEqual([]);
  });
});
