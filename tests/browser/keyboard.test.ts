import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserSuite, page, product, QUIET, signedIn } from '../fixtures/browser-suite';
import { CONSOLE_TITLES } from '../fixtures/console-pages';
import { fillConsole } from '../fixtures/fill-console';
import { findFocusFault } from '../fixtures/find-focus-fault';

const WIDE = { width: 1440, height: 900 };

let findPath: (path: string) => string;

async function prepare(): Promise<void> {
  findPath = await fillConsole(product);
}
browserSuite({ prepare, signInAt: QUIET, context: { viewport: WIDE } });

async function open(on: Page, path: string): Promise<void> {
  await on.goto(findPath(path));
  await on.getByRole('heading', { level: 1 }).waitFor();
  await on.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
}

/** Opens a path in a window that has stored nothing. */
async function openFresh(path: string): Promise<Page> {
  const { page: fresh } = await signedIn({ viewport: WIDE });
  await open(fresh, path);
  return fresh;
}

/** Marks what can be reached by Tab, and answers how much that is. */
function markStops(): Promise<number> {
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
function visit(): Promise<number> {
  return page.evaluate(() => {
    const { activeElement: stop } = document;
    if (stop instanceof HTMLElement) delete stop.dataset.stop;
    return document.querySelectorAll('[data-stop="ahead"]').length;
  });
}

describe('by Tab alone', () => {
  it.each(Object.entries(CONSOLE_TITLES))(
    'everything on %s is reached, the focus is always seen whole, and the title names the object',
    async (path, title) => {
      await open(page, path);
      await expect.poll(() => page.title()).toBe(`${title} · Sluice`);
      const stops = await markStops();
      const faults = new Set<string>();
      let ahead = stops;
      // A page that still loads puts further stops between those that were marked.
      for (let stop = 0; stop < stops + 10 || (stop < 4 * stops && ahead > 0); stop += 1) {
        await page.keyboard.press('Tab');
        const [left, fault] = await Promise.all([visit(), findFocusFault(page)]);
        ahead = left;
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
    const page = await openFresh('/');
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
    const page = await openFresh('/keys');
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
