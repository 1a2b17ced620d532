import { afterAll, describe, expect, it } from 'vitest';
import { axeFindings, signIn, submitSignIn } from '../fixtures/browser';
import { browserSuite, product, visitor } from '../fixtures/browser-suite';
import { httpsProxy } from '../fixtures/https-proxy';
import { type OpenIdProvider, openIdProvider } from '../fixtures/openid-provider';
import { OWNER_EMAIL, OWNER_PASSWORD, type Product, startProduct } from '../fixtures/product';
import { partsAreMissing } from '../fixtures/programs';

let provider: OpenIdProvider;

async function start(): Promise<Product> {
  provider = await openIdProvider('sluice-client', () => Date.now());
  const env = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'sluice-client',
    OIDC_CLIENT_SECRET: 'a-client-secret',
    OIDC_NAME: 'Example',
    SLUICE_POLICIES: '{"classes":{"auth":{"ip":{"limit":1000},"user":{"limit":1000}}}}',
    // Half of the internet, but not this machine.
    SLUICE_TRUSTED_PROXIES: '128.0.0.0/1',
  };
  return startProduct({ env });
}
afterAll(() => provider?.[Symbol.asyncDispose]());
browserSuite({ start });

describe('signing in', () => {
  it('comes back to the page that was asked for, filters included', async () => {
    const { page, complaints } = await visitor();
    await signIn(page, '/allowlist?q=office');
    await expect(page.getByRole('heading', { level: 1 }).textContent()).resolves.toBe('Allowlist');
    await expect(page.getByRole('searchbox').inputValue()).resolves.toBe('office');
    expect(complaints).toEqual([]);
  });

  it('shows on the overview that trusted proxies include public addresses', async () => {
    const { page, complaints } = await visitor();
    await signIn(page, '/');
    const note = page.locator('[data-slot=alert]').filter({ hasText: 'Trusted proxies include public addresses' });
    await note.waitFor();
    const text = await note.textContent();
    expect(text).toContain('SLUICE_TRUSTED_PROXIES trusts 128.0.0.0/1.');
    expect(text).toContain('Name only the addresses of your proxies, and restart Sluice.');
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('says that e-mail or password is wrong, keeps the address and puts the cursor into the password', async () => {
    const { page } = await visitor();
    await page.goto('/sign-in');
    await submitSignIn(page, OWNER_EMAIL, 'not the password');
    await page.getByText('Wrong e-mail or password').waitFor();
    await expect(page.getByLabel('E-mail').inputValue()).resolves.toBe(OWNER_EMAIL);
    await expect(page.evaluate(() => document.activeElement?.getAttribute('type'))).resolves.toBe('password');
    expect(await axeFindings(page)).toEqual([]);
  });

  it('says what is missing before it asks the server', async () => {
    const { page } = await visitor();
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Enter your e-mail address.').waitFor();
    await page.getByText('Enter your password.').waitFor();
  });

  it('says that the server does not answer, and works again when it does', async () => {
    const { page, context } = await visitor();
    await page.goto('/sign-in');
    await page.getByLabel('E-mail').fill(OWNER_EMAIL);
    await page.getByLabel('Password', { exact: true }).fill('whatever it is');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('No response from the server').waitFor();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Wrong e-mail or password').waitFor();
  });

  it('never leads to another site', async () => {
    const { page } = await visitor();
    await page.goto('/sign-in?callbackUrl=https://evil.example/');
    await submitSignIn(page, OWNER_EMAIL, OWNER_PASSWORD);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(new URL(page.url()).origin).toBe(product.origin);
  });

  it('signs out from the menu, and the session is over', async () => {
    const { page, context } = await visitor();
    await signIn(page);
    const cookies = await context.cookies();
    await page.getByRole('button', { name: OWNER_EMAIL }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    await context.addCookies(cookies);
    await page.goto('/keys');
    await page.waitForURL('**/sign-in?**');
  });
});

describe('signing in with a provider', () => {
  const ROOT = { sub: 'root', email: OWNER_EMAIL, email_verified: true };

  /** Lets the browser come straight back from the provider, as this person. */
  async function visit(claims: Record<string, unknown>) {
    const watched = await visitor();
    await watched.context.route(`${provider.issuer}/authorize*`, (route) =>
      route.fulfill({ status: 302, headers: { location: provider.approve(route.request().url(), { claims }) } }),
    );
    await watched.page.goto('/sign-in');
    await watched.page.getByRole('button', { name: 'Continue with Example' }).click();
    return watched;
  }

  it('comes in, is refused with another account of the same address, and comes in again when it is unbound', async () => {
    const first = await visit(ROOT);
    await first.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const other = await visit({ ...ROOT, sub: 'another' });
    await other.page.getByText('This is another account').waitFor();
    expect(await axeFindings(other.page)).toEqual([]);

    await first.page.goto('/settings?tab=account');
    await first.page.getByText('another provider account').waitFor();
    await first.page.goto('/settings?tab=members');
    await first.page.getByRole('button', { name: `Actions for ${OWNER_EMAIL}` }).click();
    await first.page.getByRole('menuitem', { name: 'Unlink provider account' }).click();
    await first.page.getByText(`They sign in with root at ${provider.issuer}.`).waitFor();
    expect(await axeFindings(first.page)).toEqual([]);
    await first.page.getByRole('dialog').getByLabel('Reason').fill('Moved to another account');
    await first.page.getByRole('button', { name: 'Unlink account' }).click();
    await first.page.getByText('can sign in with another provider account').waitFor();
    expect(first.complaints).toEqual([]);

    const again = await visit({ ...ROOT, sub: 'another' });
    await again.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it.each([
    ['somebody who is not a member', { sub: 'eve', email: 'eve@example.com', email_verified: true }, 'not a member'],
    ['an address that is not verified', { sub: 'eve', email: 'eve@example.com' }, 'address is not verified'],
  ])('tells %s why', async (_who, claims, sentence) => {
    const { page, complaints } = await visit(claims);
    await page.getByText(sentence).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    expect(complaints).toEqual([]);
  });

  it('says that the provider is down', async () => {
    provider.broken.set('/.well-known/openid-configuration', { status: 503, body: {} });
    const { page } = await visit(ROOT);
    await page.getByText('The provider is not responding').waitFor();
    provider.broken.clear();
  });
});

describe.skipIf(partsAreMissing('browser/sign-in (https)', 'openssl'))('a proxy that hides https', () => {
  it('is told of before anybody types, with both origins and both variables, and again at the attempt', async () => {
    const proxy = await httpsProxy(product.port);
    const { page } = await visitor({ ignoreHTTPSErrors: true });
    await page.goto(`${proxy.origin}/sign-in`);
    const notice = page.locator('[data-slot=alert]').filter({ hasText: 'Sluice does not know this address' });
    await notice.waitFor();
    const text = await notice.textContent();
    const seen = proxy.origin.replace('https:', 'http:');
    for (const part of [proxy.origin, seen, 'SLUICE_PUBLIC_URL', 'SLUICE_TRUSTED_PROXIES'])
      expect(text).toContain(part);
    await submitSignIn(page, OWNER_EMAIL, OWNER_PASSWORD);
    await page.getByText('Sluice refused this page').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await expect.poll(() => product.output()).toContain(`"page":"${proxy.origin}","seen":["${seen}"]`);
    await proxy[Symbol.asyncDispose]();
  });
});

describe('failed sign-ins', () => {
  it('are shown on the own account', async () => {
    const { page, complaints } = await visitor();
    await signIn(page, '/settings?tab=account');
    await page.getByRole('table').getByText('wrong password').first().waitFor();
    await page.getByText(/If (?:it was|they were) not you, change your password|No failed attempts since/).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe('too many attempts', () => {
  it('says how long to wait', async () => {
    const { page } = await visitor();
    await page.goto('/sign-in');
    await page.getByLabel('E-mail').fill('nobody@example.com');
    for (let attempt = 0; attempt < 14; attempt += 1) {
      const button = page.getByRole('button', { name: 'Sign in', exact: true });
      if (await page.getByText('Too many attempts').isVisible()) break;
      await page.getByLabel('Password', { exact: true }).fill(`wrong ${attempt}`);
      const answered = page.waitForResponse((response) => response.url().includes('/api/auth/callback/credentials'));
      await button.click();
      await answered;
      await page.getByText(/Wrong e-mail or password|Too many attempts/).waitFor();
    }
    await page.getByText(/You can try again in \d+/).waitFor();
    await expect(page.getByRole('button', { name: 'Sign in', exact: true }).isDisabled()).resolves.toBe(true);
    expect(await axeFindings(page)).toEqual([]);
  });
});
