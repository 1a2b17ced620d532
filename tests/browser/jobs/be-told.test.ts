import type { Locator, Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn } from '../../fixtures/browser-suite';
import { expectGoodLooks } from '../../fixtures/looks';
import { MailServer } from '../../fixtures/mail-server';
import { startProduct } from '../../fixtures/product';
import { countSteps } from '../../fixtures/steps';
import { untilPasses } from '../../fixtures/until';
import { status, WebhookReceiver } from '../../fixtures/webhook-receiver';

let receiver: WebhookReceiver;
let mailServer: MailServer;

async function start() {
  [receiver, mailServer] = await Promise.all([WebhookReceiver.start(), MailServer.start()]);
  const mail = { SLUICE_SMTP_URL: mailServer.url, SLUICE_SMTP_FROM: 'Sluice <sluice@example.com>' };
  return startProduct({ env: { SLUICE_ASSESS_ALLOW: '127.0.0.0/8', ...mail } });
}
browserSuite({ start, signInAt: '/settings?tab=alerts', context: { viewport: { width: 1440, height: 900 } } });
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await mailServer?.go();
});

const choose = async (on: Page, name: string, action: string) => {
  await on.getByRole('button', { name: `Actions for ${name}` }).click();
  await on.getByRole('menuitem', { name: action }).click();
};
/** Reloads the page until it shows something. */
const shownByReload = (what: Locator) =>
  untilPasses(async () => {
    await page.reload();
    await what.waitFor({ timeout: 15_000 });
  });
const row = (on: Page, name: string) =>
  on.getByRole('list', { name: 'Webhooks' }).getByRole('listitem').filter({ hasText: name });
const fits = (on: Page) => on.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

it('a webhook is made and tested, and its failed delivery sent again in two clicks', async () => {
  await page.getByRole('button', { name: 'New webhook' }).first().click();
  const made = page.getByRole('dialog', { name: 'New webhook' });
  await made.getByLabel('Name').fill('On-call');
  await made.getByLabel('URL').fill('https://10.1.2.3/hook');
  await made.getByText('SLUICE_ASSESS_ALLOW=10.1.2.3', { exact: true }).waitFor();
  await made.getByLabel('URL').fill(receiver.url);
  await made.getByLabel('Clock').uncheck();
  expect(await axeFindings(page)).toEqual([]);
  await made.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('The receiver verifies signatures with this secret.').waitFor();
  await page.getByRole('button', { name: 'I have stored it' }).click();

  receiver.answers.push(status(503));
  await page.getByRole('button', { name: 'Test On-call' }).click();
  await page.getByText('On-call: answered 503: answer 503').waitFor();
  await choose(page, 'On-call', 'Deliveries…');
  const log = page.getByRole('dialog', { name: 'Deliveries to On-call' });
  await log.getByText('Attempt 1: answered 503: answer 503').waitFor();
  await log.getByText('failed', { exact: true }).waitFor();
  await log.getByRole('button', { name: 'Request and answers of delivery 1' }).click();
  await log.getByText('webhook-signature').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await log.waitFor({ state: 'detached' });
  const steps = countSteps();
  await steps.click(row(page, 'On-call').getByRole('button', { name: 'Deliveries to On-call' }));
  await steps.click(log.getByRole('button', { name: 'Send again: delivery 1' }));
  await log.getByText('Attempt 2: answered 204').waitFor();
  await log.getByText('delivered', { exact: true }).waitFor();
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect([steps.clicks, steps.sentences], steps.taken.join('\n')).toEqual([2, 0]);
  expect([receiver.types, new Set(ids).size]).toEqual([['webhook.test', 'webhook.test'], 1]);
  await page.keyboard.press('Escape');
});

it('is renamed and pointed elsewhere with a reason, which Undo takes back', async () => {
  await choose(page, 'On-call', 'Edit…');
  const dialog = page.getByRole('dialog', { name: 'Edit On-call' });
  expect(await dialog.getByLabel('Clock').isChecked()).toBe(false);
  await dialog.getByLabel('Name').fill('Day shift');
  await dialog.getByLabel('URL').fill(receiver.url.replace('/hook', '/day'));
  await dialog.getByLabel('Clock').check();
  await dialog.getByLabel('Reason').fill('The receiver has moved');
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save webhook' }).click();
  await row(page, 'Day shift').getByText('/day').waitFor();
  const toast = page.locator('li', { hasText: 'Day shift is saved' });
  await toast.getByRole('button', { name: 'Undo' }).click();
  await row(page, 'On-call').getByText('/hook').waitFor();
});

it('the inbox has one line for a key, which is acknowledged, undone and resolved', async () => {
  const key = { name: 'Store locator', tier: 'free', client_type: 'confidential' };
  const { id, secret } = (await (await product.admin('POST', '/v1/admin/api-keys', key)).json()) as Record<
    string,
    string
  >;
  await product.admin('PATCH', '/v1/admin/policies', { tiers: { free: 5 } });
  await product.admin(
    'POST',
    '/v1/check/batch',
    Array.from({ length: 4 }, () => ({ class: 'read', api_key: secret })),
  );
  await page.goto('/');
  // A busy machine may have alerts of its own: a store that is slow, a clock that is off.
  const count = page.getByRole('link', { name: /^\d+ alerts?/ });
  await shownByReload(count);
  const [number] = /\d+/.exec((await count.textContent()) ?? '') ?? [];
  const inNavigation = page.getByRole('navigation', { name: 'Main' });
  await inNavigation.getByRole('link', { name: new RegExp(`^Alerts\\s*, ${number} open$`) }).waitFor();
  await count.click();
  await page.waitForURL(/\/alerts/);
  const opened = page.getByRole('list', { name: 'Open', exact: true });
  const told = 'The key Store locator has reached 80% of its quota';
  await shownByReload(opened.getByText(told));
  expect(await axeFindings(page)).toEqual([]);
  await expectGoodLooks(page);
  await opened.getByRole('button', { name: 'Acknowledge Store locator' }).click();
  await opened.getByText(told).waitFor({ state: 'detached' });
  await page.locator('li', { hasText: 'Store locator is acknowledged' }).getByRole('button', { name: 'Undo' }).click();
  await opened.getByText(told).waitFor();
  await opened.getByRole('button', { name: 'Grant until reset' }).click();
  const grant = page.getByRole('dialog', { name: 'Grant Store locator more requests' });
  await grant.getByRole('radio', { name: 'Reset' }).and(grant.locator('[aria-checked="true"]')).waitFor();
  await grant.getByRole('button', { name: 'Cancel' }).click();
  const until = new Date(Date.now() + 3 * 86_400_000).toISOString();
  await product.admin('POST', '/v1/admin/grants', { api_key: id, requests: 1_000, until, reason: 'A campaign' });
  await page.getByRole('tab', { name: 'History' }).click();
  // A page that is reloaded before its address has changed shows the former view again.
  await page.waitForURL(/[?&]\w+=history/);
  const resolved = page.getByRole('table');
  await shownByReload(resolved.getByText(told));
  await resolved.getByText('It has used 4 of 1,005 requests now.').waitFor();
  await expectGoodLooks(page);
});

it('finds lines of the inbox by a text, acknowledges them together, and takes all back by one click', async () => {
  for (const name of ['Night job', 'Day job']) {
    const key = await product.admin('POST', '/v1/admin/api-keys', { name, tier: 'free', client_type: 'confidential' });
    const { secret } = (await key.json()) as { secret: string };
    const checks = Array.from({ length: 4 }, () => ({ class: 'read', api_key: secret }));
    await product.admin('POST', '/v1/check/batch', checks);
  }
  await page.goto('/alerts');
  const opened = page.getByRole('list', { name: 'Open', exact: true });
  for (const name of ['Night job', 'Day job']) await shownByReload(opened.getByText(`The key ${name} has`));
  await page.getByRole('searchbox', { name: 'Search key, caller or text' }).fill(' job');
  await page.getByRole('button', { name: 'Kind' }).click();
  await page.getByRole('menuitemradio', { name: 'Quota' }).click();
  await expect.poll(() => opened.getByRole('listitem').count()).toBe(2);
  await page.getByRole('checkbox', { name: 'Select all alerts shown' }).click();
  expect(await axeFindings(page)).toEqual([]);
  await expectGoodLooks(page);
  await page.getByRole('button', { name: 'Acknowledge…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Acknowledge 2 alerts?' });
  await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await page.getByText('No alert matches').waitFor();
  await page.getByRole('button', { name: 'Undo all' }).click();
  await expect.poll(() => opened.getByRole('listitem').count()).toBe(2);
});

it('shows the newest 50 deliveries, and older ones on demand', async () => {
  const webhooks = (await (await product.admin('GET', '/v1/admin/webhooks')).json()) as { id: string }[];
  for (let count = 0; count < 60; count += 1) await product.admin('POST', `/v1/admin/webhooks/${webhooks[0]!.id}/test`);
  await page.goto('/settings?tab=alerts');
  await choose(page, 'On-call', 'Deliveries…');
  const log = page.getByRole('dialog', { name: 'Deliveries to On-call' });
  await log.getByText('The newest 50').waitFor();
  await log.getByRole('button', { name: 'Load older' }).click();
  await expect.poll(() => log.getByRole('button', { name: /^Send again: / }).count()).toBeGreaterThan(60);
  await log.getByText(/^The newest/).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
});

it('on a phone an address for mail is added, tested and pointed elsewhere', async () => {
  const { page: phone, complaints: ofPhone } = await signedIn({ viewport: { width: 390, height: 844 } });
  await phone.goto(`${product.origin}/settings?tab=alerts`);
  await phone.getByRole('button', { name: 'New webhook' }).first().click();
  const made = phone.getByRole('dialog', { name: 'New webhook' });
  await made.getByLabel('Name').fill('Night');
  await made.getByRole('combobox', { name: 'Format' }).click();
  await phone.getByRole('option', { name: /^E-mail/ }).click();
  await made.getByLabel('E-mail address').fill('nobody');
  await made.getByRole('button', { name: 'Create webhook' }).click();
  await made.getByText('Enter one e-mail address.').waitFor();
  await made.getByLabel('E-mail address').fill('night@example.com');
  expect(await axeFindings(phone)).toEqual([]);
  await made.getByRole('button', { name: 'Create webhook' }).click();
  await row(phone, 'Night').getByText('night@example.com').waitFor();
  await choose(phone, 'Night', 'Send a test');
  await phone.getByText('Night: answered 250').waitFor();
  expect(mailServer.subjects).toEqual(['[Sluice] This is a test of the webhook Night']);
  await choose(phone, 'Night', 'Edit…');
  const dialog = phone.getByRole('dialog', { name: 'Edit Night' });
  await dialog.getByText('Empty: stays night@example.com').waitFor();
  await dialog.getByLabel('E-mail address').fill('late@example.com');
  await dialog.getByLabel('Reason').fill('Another shift');
  await dialog.getByRole('button', { name: 'Save webhook' }).click();
  await row(phone, 'Night').getByText('late@example.com').waitFor();
  expect(await axeFindings(phone)).toEqual([]);
  expect(await fits(phone)).toBe(true);
  expect([...complaints, ...ofPhone]).toEqual([]);
});
