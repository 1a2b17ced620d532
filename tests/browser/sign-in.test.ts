import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, launchBrowser, openPage, signIn } from '../fixtures/browser';
import { OWNER_EMAIL, type Product, startProduct } from '../fixtures/product';

let product: Product;
let browser: Browser;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

describe('signing in', () => {
  it('comes back to the page that was asked for, filters included', async () => {
    const { page, context, complaints } = await openPage(browser, product);
    await signIn(page, '/allowlist?q=office');
    await expect(page.getByRole('heading', { level: 1 }).textContent()).resolves.toBe('Allowlist');
    await expect(page.getByRole('searchbox').inputValue()).resolves.toBe('office');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('says that e-mail and password do not belong together, keeps the address and puts the cursor into the password', async () => {
    const { page, context } = await openPage(browser, product);
    await page.goto('/sign-in');
    await page.getByLabel('E-mail').fill(OWNER_EMAIL);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('do not belong together').waitFor();
    await expect(page.getByLabel('E-mail').inputValue()).resolves.toBe(OWNER_EMAIL);
    await expect(page.evaluate(() => document.activeElement?.getAttribute('type'))).resolves.toBe('password');
    expect(await axeFindings(page)).toEqual([]);
    await context.close();
  });

  it('says what is missing before it asks the server', async () => {
    const { page, context } = await openPage(browser, product);
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Enter your e-mail address.').waitFor();
    await page.getByText('Enter your password.').waitFor();
    await context.close();
  });

  it('says that the server does not answer, and works again when it does', async () => {
    const { page, context } = await openPage(browser, product);
    await page.goto('/sign-in');
    await page.getByLabel('E-mail').fill(OWNER_EMAIL);
    await page.getByLabel('Password').fill('whatever it is');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('No answer from the server').waitFor();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('do not belong together').waitFor();
    await context.close();
  });

  it('never leads to another site', async () => {
    const { page, context } = await openPage(browser, product);
    await page.goto('/sign-in?callbackUrl=https://evil.example/');
    await page.getByLabel('E-mail').fill(OWNER_EMAIL);
    await page.getByLabel('Password').fill('correct horse battery staple');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(new URL(page.url()).origin).toBe(product.origin);
    await context.close();
  });

  it('signs out from the menu, and the session is over', async () => {
    const { page, context } = await openPage(browser, product);
    await signIn(page);
    const cookies = await context.cookies();
    await page.getByRole('button', { name: OWNER_EMAIL }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    await context.addCookies(cookies);
    await page.goto('/keys');
    await page.waitForURL('**/sign-in?**');
    await context.close();
  });
});

describe('too many attempts', () => {
  it('says how long to wait', async () => {
    const { page, context } = await openPage(browser, product);
    await page.goto('/sign-in');
    await page.getByLabel('E-mail').fill('nobody@example.com');
    for (let attempt = 0; attempt < 14; attempt += 1) {
      const button = page.getByRole('button', { name: 'Sign in', exact: true });
      if (await page.getByText('Too many attempts').isVisible()) break;
      await page.getByLabel('Password').fill(`wrong ${attempt}`);
      const answered = page.waitForResponse((response) => response.url().includes('/api/auth/callback/credentials'));
      await button.click();
      await answered;
      await page.getByText(/do not belong together|Too many attempts/).waitFor();
    }
    await page.getByText(/You can try again in \d+/).waitFor();
    await expect(page.getByRole('button', { name: 'Sign in', exact: true }).isDisabled()).resolves.toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await context.close();
  });
});
