import { expect, it } from 'vitest';
import { browserSuite, product, QUIET, signedIn } from '../../fixtures/browser-suite';
import { CONSOLE_TITLES } from '../../fixtures/console-pages';
import { fillConsole } from '../../fixtures/fill-console';
import { expectGoodLooks } from '../../fixtures/looks';

const PAGES = [...Object.keys(CONSOLE_TITLES), '/oauth/callback?code=a&state=b'];
let findPath: (path: string) => string;

async function prepare(): Promise<void> {
  findPath = await fillConsole(product);
}
browserSuite({ prepare, signInAt: QUIET });

it.each(PAGES)('%s: axe finds nothing in any look, the console is silent, nothing sticks out', async (path) => {
  const { page, complaints } = await signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(findPath(path));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
  await expectGoodLooks(page);
  expect(complaints).toEqual([]);
});
