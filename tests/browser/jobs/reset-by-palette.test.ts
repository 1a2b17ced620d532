import { expect, it } from 'vitest';
import { browserSuite, page, product } from '../../fixtures/browser-suite';
import { countSteps } from '../../fixtures/steps';

const ADDRESS = '203.0.113.9';

async function prepare(): Promise<void> {
  const calls = Array.from({ length: 60 }, () => ({ class: 'auth', ip: ADDRESS }));
  await product.admin('POST', '/v1/check/batch', calls);
  const override = { type: 'ip', identifier: '192.0.2.0/24', class: 'read', limit: 9, window_seconds: 60 };
  await product.admin('PUT', '/v1/admin/rate-limit/overrides', { ...override, reason: 'Branch in Lisbon' });
  await product.admin('POST', '/v1/admin/tokens', { name: 'pipeline', role: 'viewer' });
}
browserSuite({ prepare, signInAt: '/' });

it('the counters of an address are reset by keyboard alone: palette, operation and address, reason', async () => {
  const steps = countSteps();
  // A shortcut is heard once the page runs.
  await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
  await steps.press(page, 'Control+k');
  await steps.type(page.getByPlaceholder(/Search pages/), `reset ${ADDRESS}`);
  await page.getByRole('option', { name: `Reset counters of ${ADDRESS}` }).waitFor();
  await steps.press(page, 'Enter');
  const dialog = page.getByRole('dialog', { name: 'Reset counters' });
  await dialog.getByText(ADDRESS).first().waitFor();
  await steps.type(dialog.getByLabel('Reason'), 'A loop in their test');
  await steps.press(page, 'Tab');
  await steps.press(page, 'Tab');
  await steps.press(page, 'Enter');
  await page.getByText(`Counters of ${ADDRESS} are clear`).waitFor();
  expect(steps.clicks, steps.taken.join('\n')).toBe(0);
  expect(steps.sentences, steps.taken.join('\n')).toBe(2);
  expect(steps.keys, steps.taken.join('\n')).toBeLessThanOrEqual(5);
});

it('the last operation comes first the next time', async () => {
  await page.keyboard.press('Control+k');
  await page.getByRole('group', { name: 'Recent' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor({ state: 'detached' });
});

it('text that names nobody offers to look for it, and nothing that changes anything', async () => {
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/Search pages/).fill('zzzz');
  await page.getByRole('option', { name: 'Inspect user “zzzz”' }).waitFor();
  const offered = await page.getByRole('option').allTextContents();
  expect(offered.filter((text) => /reset|revoke|allowlist|override|rotate|change tier/i.test(text))).toEqual([]);
  await page.keyboard.press('Escape');
});

it.each([
  ['theme', 'Theme: dark'],
  ['dark', 'Theme: dark'],
  ['rotate', 'Rotate the secret of a key'],
  ['revoke', 'Revoke a key'],
  ['reset usage', 'Reset the usage of a key'],
  ['new key', 'New API key'],
  ['invite', 'Invite a member'],
  ['time zone', 'Times: UTC'],
  ['sign out', 'Sign out'],
  ['token workbench', 'Token workbench'],
  ['changes policies', 'Changes to the policies'],
  ['global throttle', 'Global throttle'],
  ['docs grants', 'API reference: Grants'],
  ['lisbon', 'Read override of 192.0.2.0/24 9 in 1 min'],
  ['edit override lisbon', 'Edit the Read override of 192.0.2.0/24'],
  ['changes to 192.0.2.0/24', 'Changes to 192.0.2.0/24'],
  ['revoke pipeline', 'Revoke pipeline'],
  ['changes to pipeline', 'Changes to pipeline'],
  ['remove owner@', 'Remove: owner@example.com'],
])('%j finds %j', async (search, label) => {
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/Search pages/).fill(search);
  await page.getByRole('option', { name: label, exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});
