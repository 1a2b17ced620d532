import chromium from '@sparticuz/chromium';
import { chromium as driver } from 'playwright-core';

/** A real Chromium: the one in `SLUICE_TEST_CHROMIUM`, else the one that comes from npm. */
export async function launchBrowser() {
  return driver.launch({
    executablePath: process.env.SLUICE_TEST_CHROMIUM ?? (await chromium.executablePath()),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--font-render-hinting=none'],
    headless: true,
  });
}

/** Signs in once; answers the cookies, for all contexts that follow. */
export async function signedIn(browser, demo) {
  const context = await browser.newContext({ baseURL: demo.origin });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(demo.email);
  await page.getByLabel('Password', { exact: true }).fill(demo.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Waits until a screen shows what it was opened for: its heading, and no skeleton any more. */
export async function settled(page) {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await loaded(page);
}

/** Waits until nothing shows a skeleton any more, in the page or in a dialog over it. */
export async function loaded(page) {
  await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}
