import { expect, it } from 'vitest';
import { browserSuite, complaints, page, product } from '../fixtures/browser-suite';
import { CONSOLE_DIALOGS } from '../fixtures/console-dialogs';
import { fillConsole } from '../fixtures/fill-console';
import { findFocusFault } from '../fixtures/find-focus-fault';
import { expectGoodLooks } from '../fixtures/looks';

/** How many times Tab is pressed in each dialog: once around most of them. */
const STOPS = 20;

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
    for (let stop = 0; stop < STOPS; stop += 1) {
      await page.keyboard.press('Tab');
      expect(await findFocusFault(page)).toBeNull();
    }
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement !== document.body);
    expect(complaints).toEqual([]);
  },
);
