import { expect, it } from 'vitest';
import { axeFindings } from '../fixtures/browser';
import { browserSuite, product, signedIn } from '../fixtures/browser-suite';
import { CONSOLE_DIALOGS } from '../fixtures/console-dialogs';

const WIDTHS = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };
const LOOKS = [
  ['light', 'wide'],
  ['dark', 'wide'],
  ['light', 'narrow'],
  ['dark', 'narrow'],
] as const;

async function prepare(): Promise<void> {
  await product.admin('POST', '/v1/admin/api-keys', { name: 'reports', tier: 'free' });
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
browserSuite({ prepare, signInAt: '/settings' });

it.each(CONSOLE_DIALOGS)(
  '$name: axe finds nothing in any look, Escape closes it, the focus is on the page',
  async (dialog) => {
    const { page, complaints } = await signedIn({ viewport: WIDTHS.wide });
    await page.goto(dialog.path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
    // So that something has the focus before a shortcut opens a dialog.
    await page.keyboard.press('Tab');
    await dialog.open(page);
    const shown = page.locator('[role="dialog"], [role="alertdialog"]').last();
    await shown.waitFor();
    await page.waitForFunction(() => document.querySelector('[role$="dialog"] [data-slot="skeleton"]') === null);
    for (const [colorScheme, width] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(WIDTHS[width]);
      await page.waitForFunction(
        (dark) => document.documentElement.classList.contains('dark') === dark,
        colorScheme === 'dark',
      );
      expect(await axeFindings(page), `${colorScheme}, ${width}`).toEqual([]);
      const sticksOut = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(sticksOut, `${colorScheme}, ${width}`).toBe(false);
    }
    await page.setViewportSize(WIDTHS.wide);
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement !== document.body);
    expect(complaints).toEqual([]);
  },
);
