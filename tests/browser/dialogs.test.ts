import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { browserSuite, complaints, page, product } from '../fixtures/browser-suite';
import { CONSOLE_DIALOGS } from '../fixtures/console-dialogs';
import { fillConsole } from '../fixtures/fill-console';
import { findFocusFault } from '../fixtures/find-focus-fault';
import { expectGoodLooks } from '../fixtures/looks';

/** Most times that Tab is pressed in a dialog. */
const STOPS = 20;

/** Marks the element that has the focus. Returns whether the focus is back at an earlier one. A date has several stops. */
function markFocus(on: Page): Promise<boolean> {
  return on.evaluate(() => {
    const { activeElement: stop } = document;
    if (!(stop instanceof HTMLElement) || stop.dataset.stop === 'last') return false;
    const isBack = stop.dataset.stop !== undefined;
    for (const last of document.querySelectorAll<HTMLElement>('[data-stop="last"]')) last.dataset.stop = 'earlier';
    stop.dataset.stop = 'last';
    return isBack;
  });
}

let findPath: (path: string) => string;

async function prepare(): Promise<void> {
  findPath = await fillConsole(product);
}
browserSuite({ prepare, signInAt: '/', context: { viewport: { width: 1440, height: 900 } } });

it.each(CONSOLE_DIALOGS)(
  '$name: axe finds nothing in any look, the focus is seen whole, Escape closes it',
  async (dialog) => {
    complaints.length = 0;
    await page.goto(findPath(dialog.path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
    // So that something has the focus before a shortcut opens a dialog.
    await page.keyboard.press('Tab');
    await dialog.open(page);
    const shown = page.locator('[role="dialog"], [role="alertdialog"]').last();
    await shown.waitFor();
    await page.waitForFunction(() => document.querySelector('[role$="dialog"] [data-slot="skeleton"]') === null);
    await expectGoodLooks(page);
    const undecided = ':has(> [role="radio"]):not(:has(> [role="radio"][aria-checked="true"]))';
    expect(await shown.locator(undecided).count(), 'choices that show no selection').toBe(0);
    for (let stop = 0, isBack = false; stop < STOPS && !isBack; stop += 1) {
      await page.keyboard.press('Tab');
      const [fault, isEarlier] = await Promise.all([findFocusFault(page), markFocus(page)]);
      expect(fault).toBeNull();
      isBack = isEarlier;
    }
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement !== document.body);
    expect(complaints).toEqual([]);
  },
);
