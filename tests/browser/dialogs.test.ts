import { describe, expect, it } from 'vitest';
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

describe.each(CONSOLE_DIALOGS)('$name', ({ path, open }) => {
  it.each(LOOKS)('in %s and %s: axe finds nothing, Escape closes it, the focus is on the page', async (...look) => {
    const [colorScheme, width] = look;
    const { page, complaints } = await signedIn({ colorScheme, viewport: WIDTHS[width] });
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
    await open(page);
    const dialog = page.locator('[role="dialog"], [role="alertdialog"]').last();
    await dialog.waitFor();
    await page.waitForFunction(() => document.querySelector('[role$="dialog"] [data-slot="skeleton"]') === null);
    expect(await axeFindings(page)).toEqual([]);
    const sticksOut = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(sticksOut).toBe(false);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement !== document.body);
    expect(complaints).toEqual([]);
  });
});
