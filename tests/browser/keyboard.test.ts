import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserSuite, product, QUIET, signedIn } from '../fixtures/browser-suite';
import { CONSOLE_TITLES } from '../fixtures/console-pages';
import { fillConsole } from '../fixtures/fill-console';
import { findFocusFault } from '../fixtures/find-focus-fault';

let findPath: (path: string) => string;

async function prepare(): Promise<void> {
  findPath = await fillConsole(product);
}
browserSuite({ prepare, signInAt: QUIET });

async function opened(path: string): Promise<Page> {
  const { page } = await signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(findPath(path));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
  return page;
}

/** Marks what can be reached by Tab, and answers how much that is. */
function markStops(page: Page): Promise<number> {
  return page.evaluate(() => {
    const stops = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex]')];
    const open = stops.filter(
      (stop) =>
        stop.tabIndex >= 0 &&
        // A group of which one member at a time has the focus, and hands it on.
        !stop.matches(':disabled, [role="radiogroup"], [role="tablist"]') &&
        stop.checkVisibility({ visibilityProperty: true }) &&
        !(stop instanceof HTMLInputElement && stop.type === 'radio' && !stop.checked),
    );
    for (const stop of open) stop.dataset.stop = 'ahead';
    return open.length;
  });
}

/** Takes the mark from what has the focus, and returns how much is still marked. */
function visit(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { activeElement: stop } = document;
    if (stop instanceof HTMLElement) delete stop.dataset.stop;
    return document.querySelectorAll('[data-stop="ahead"]').length;
  });
}

describe('by Tab alone', () => {
  it.each(Object.keys(CONSOLE_TITLES))(
    'everything on %s is reached, and the focus is always seen whole',
    async (path) => {
      const page = await opened(path);
      const stops = await markStops(page);
      const faults = new Set<string>();
      let ahead = stops;
      // A page that still loads puts further stops between those that were marked.
      for (let stop = 0; stop < stops + 10 || (stop < 4 * stops && ahead > 0); stop += 1) {
        await page.keyboard.press('Tab');
        ahead = await visit(page);
        const fault = await findFocusFault(page);
        if (fault !== null) faults.add(fault);
      }
      const missed = await page
        .locator('[data-stop="ahead"]')
        .evaluateAll((all) => all.map(({ outerHTML }) => outerHTML));
      expect([...faults]).toEqual([]);
      expect(missed.map((html) => html.slice(0, 160))).toEqual([]);
    },
  );
});

describe('shortcuts', () => {
  it('go to pages, focus the search, create, and list themselves', async () => {
    const page = await opened('/');
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { level: 1, name: 'Keys & quotas' }).waitFor();
    await page.keyboard.press('/');
    await page.waitForFunction(() => document.activeElement?.getAttribute('type') === 'search');
    await page.keyboard.type('gl?');
    await expect(page.getByRole('searchbox').inputValue()).resolves.toBe('gl?');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('searchbox').blur();
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: /key/i }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });

  it('of a single key can be switched off, and Ctrl K stays', async () => {
    const page = await opened('/keys');
    await page.keyboard.press('?');
    await page.getByRole('switch').click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await expect(page.getByRole('dialog').count()).resolves.toBe(1);
    await page.getByPlaceholder(/Search pages/).fill('switch single-key');
    await page.getByRole('option', { name: 'Switch single-key shortcuts on' }).waitFor();
  });
});
