import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { axeFindings } from '../fixtures/browser';
import { browserSuite, product, visitor } from '../fixtures/browser-suite';
import { freePort } from '../fixtures/free-port';
import { type Product, startProduct } from '../fixtures/product';
import { STAFF_CLIENT, type Staff, type StaffProvider, staffProvider } from '../fixtures/staff-provider';

const verified = (name: string, groups: string[]) => ({
  name,
  email: `${name.toLowerCase()}@example.com`,
  email_verified: true,
  groups,
});

const staff: Staff = {};
let provider: StaffProvider;

async function start(): Promise<Product> {
  const port = await freePort();
  provider = await staffProvider(staff, [`http://127.0.0.1:${port}/api/auth/callback/oidc`]);
  return startProduct({
    env: {
      PORT: String(port),
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: STAFF_CLIENT.id,
      OIDC_CLIENT_SECRET: STAFF_CLIENT.secret,
      OIDC_NAME: 'Example',
      OIDC_SCOPE: 'openid email profile groups',
      OIDC_ROLE_CLAIM: 'groups',
      OIDC_ROLE_MAP: JSON.stringify({ all: 'viewer', sre: 'operator', leads: 'owner' }),
      SLUICE_LOG_LEVEL: 'info',
    },
  });
}
afterAll(() => provider?.[Symbol.asyncDispose]());
browserSuite({ start });

/** Leaves the sign-in page for the provider. */
async function leave(page: Page): Promise<void> {
  await page.goto('/sign-in?callbackUrl=%2Fallowlist');
  await page.getByRole('button', { name: 'Continue with Example' }).click();
}

/** Signs in on the pages of the provider, which lead back. */
async function signInThere(page: Page, login: string): Promise<void> {
  await page.waitForURL(`${provider.issuer}/**`);
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('anything');
  await page.locator('button[type=submit]').click();
  await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' });
  await page.locator('button[type=submit]').click();
  await page.waitForURL(`${product.origin}/**`);
}

describe('an employee', () => {
  it('comes in by their group to the page that was asked for, and in another role at the next sign-in', async () => {
    staff.ada = verified('Ada', ['sre']);
    const { page } = await visitor();
    await leave(page);
    await signInThere(page, 'ada');
    await page.getByRole('heading', { level: 1, name: 'Allowlist' }).waitFor();
    await page.getByRole('button', { name: 'Ada operator' }).click();

    staff.ada.groups = ['all'];
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in**');
    // The provider still knows the browser, and asks nothing.
    await leave(page);
    await page.getByRole('heading', { level: 1, name: 'Allowlist' }).waitFor();
    await page.getByRole('button', { name: 'Ada viewer' }).waitFor();
    await page.getByText('Read-only: changes need the operator role').waitFor();
  });

  it.each([
    ['in no group with a role', 'bob', verified('Bob', ['guests']), 'NoRole', 'Your account has no role here'],
    [
      'with an address that nobody has verified',
      'mallory',
      { ...verified('Mallory', ['leads']), email_verified: false },
      'EmailNotVerified',
      'Your e-mail address is not verified',
    ],
  ])('%s reads why, and what to do', async (_, login, claims, refusal, title) => {
    staff[login] = claims;
    const { page } = await visitor();
    await leave(page);
    await signInThere(page, login);
    const alert = page.locator('[data-slot=alert]').filter({ hasText: title });
    await alert.waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe(refusal);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('cancels at the provider, and is back', async () => {
    const { page } = await visitor();
    await leave(page);
    await page.waitForURL(`${provider.issuer}/**`);
    await page.getByRole('link', { name: /cancel/i }).click();
    await page.getByText('The provider did not sign you in').waitFor();
  });

  it('reads that the provider is down; the log says why', async () => {
    await provider[Symbol.asyncDispose]();
    const { page, complaints } = await visitor();
    await leave(page);
    await page.getByText('The provider is not responding').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await expect
      .poll(() => product.output())
      .toMatch(/"refusal":"ProviderDown".*ECONNREFUSED.*Check that this machine reaches/);
  });
});
