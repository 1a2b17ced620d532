import { expect, it } from 'vitest';
import { browserSuite, product, QUIET, signedIn } from '../fixtures/browser-suite';
import { CONSOLE_DIALOGS } from '../fixtures/console-dialogs';
import { expectGoodLooks } from '../fixtures/looks';

async function prepare(): Promise<void> {
  await product.admin('POST', '/v1/admin/api-keys', { name: 'reports', tier: 'free' });
  await product.admin('POST', '/v1/admin/webhooks', { name: 'On-call', url: 'https://hooks.example.com/sluice' });
  const identity = { reason: 'Contract' };
  await product.admin('POST', '/v1/admin/rate-limit/allowlist', { ...identity, type: 'ip', identifier: '10.0.0.0/24' });
  const limit = { class: 'read', limit: 9, window_seconds: 60 };
  await product.admin('PUT', '/v1/admin/rate-limit/overrides', {
    ...identity,
    ...limit,
    type: 'user_id',
    identifier: 'partner',
  });
}
browserSuite({ prepare, signInAt: QUIET });

it.each(CONSOLE_DIALOGS)(
  '$name: axe finds nothing in any look, Escape closes it, the focus is on the page',
  async (dialog) => {
    const { page, complaints } = await signedIn({ viewport: { width: 1440, height: 900 } });
    await page.goto(dialog.path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
    // So that something has the focus before a shortcut opens a dialog.
    await page.keyboard.press('Tab');
    await dialog.open(page);
    const shown = page.locator('[role="dialog"], [role="alertdialog"]').last();
    await shown.waitFor();
    await page.waitForFunction(() => document.querySelector('[role$="dialog"] [data-slot="skeleton"]') === null);
    await expectGoodLooks(page);
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement !== document.body);
    expect(complaints).toEqual([]);
  },
);
