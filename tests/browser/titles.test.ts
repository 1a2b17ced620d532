import { expect, it } from 'vitest';
import { browserSuite, complaints, page, product } from '../fixtures/browser-suite';
import { CONSOLE_TITLES } from '../fixtures/console-pages';
import { fillConsole } from '../fixtures/fill-console';

let findPath: (path: string) => string;

browserSuite({
  prepare: async () => {
    findPath = await fillConsole(product);
  },
  signInAt: '/',
});

const expectTitle = (title: string) => expect.poll(() => page.title()).toBe(`${title} · Sluice`);

it.each(['/', '/keys/:key', '/settings', '/oauth/assessments/:assessment'] as const)(
  'the title of %s does not stay on the next page',
  async (path) => {
    await page.goto(findPath(path));
    await expectTitle(CONSOLE_TITLES[path]);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Alerts' }).click();
    await page.waitForURL('**/alerts');
    await expectTitle('Alerts');
  },
);

it('the title follows the tabs of a page', async () => {
  for (const [path, tabs] of [
    ['/settings', { members: 'Members, settings', '': 'Admin tokens, settings' }],
    ['/limits', { candidates: 'Candidates', '': 'Limits' }],
  ] as const) {
    await page.goto(path);
    for (const [tab, title] of Object.entries(tabs)) {
      const [label = ''] = title.split(',');
      await page.getByRole('main').getByRole('tab', { name: label }).click();
      await page.waitForURL((url) => (url.searchParams.get('tab') ?? '') === tab);
      await expectTitle(title);
    }
  }
  expect(complaints).toEqual([]);
});

it('the title of the route does not replace the name of the object when it comes late', async () => {
  await page.goto('/settings?tab=members');
  await expectTitle('Members, settings');
  await page.evaluate(() => {
    document.title = 'Settings · Sluice';
  });
  await expectTitle('Members, settings');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Alerts' }).click();
  await page.waitForURL('**/alerts');
  await expectTitle('Alerts');
});
