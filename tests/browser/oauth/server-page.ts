import type { BrowserContext, Page } from 'playwright-core';
import { product } from '../../fixtures/browser-suite';
import { CLIENTS, type OidcServer, oidcServer, SCOPE } from '../../fixtures/oidc-server';
import { type Product, startProduct } from '../../fixtures/product';

/** The product, allowed to assess servers on this machine. */
export const startAssessor = (env: Record<string, string> = {}): Promise<Product> =>
  startProduct({ env: { SLUICE_ASSESS_ALLOW: '127.0.0.1/32,::1/128', ...env } });

/** Another host than the console's. Browsers keep about 180 cookies for a host, and a run leaves more than these. */
const host = 'localhost';
export const REPORT = /\/oauth\/assessments\/[0-9a-f-]{36}/;
export const part = (on: Page, name: string) => on.getByRole('region', { name, exact: true });

/** Waits for the report that an assessment ends in. */
export async function reportOpens(on: Page): Promise<void> {
  await on.waitForURL(REPORT);
  await part(on, 'Result').waitFor();
}

/** Signs in and agrees wherever the window of an assessment asks for it. Counts how often it signed in. */
export async function beThePerson(window: Page): Promise<{ signIns: number }> {
  const seen = { signIns: 0 };
  const answer = async () => {
    const asks = window.locator('input[name=prompt]');
    if ((await asks.count()) === 0) return;
    if ((await window.locator('input[name=login]').count()) > 0) {
      seen.signIns += 1;
      await window.locator('input[name=login]').fill('someone');
      await window.locator('input[name=password]').fill('anything');
    }
    await window.locator('button[type=submit]').first().click();
  };
  // A page that has gone on needs no answer.
  window.on('domcontentloaded', () => void answer().catch(() => undefined));
  await answer().catch(() => undefined);
  return seen;
}

/** The provider, at which clients register. @param removed collects the paths at which clients are removed */
export function registeringProvider(removed: string[]): Promise<OidcServer> {
  return oidcServer({
    host,
    consent: 'ask',
    registration: 'removable',
    everyGrant: true,
    before({ method, url = '' }) {
      if (method === 'DELETE' && url.startsWith('/reg/')) removed.push(url);
      return false;
    },
  });
}

/** The provider, with two clients that have the redirect URI of the console. */
export function provider(): Promise<OidcServer> {
  const client = {
    redirect_uris: [`${product.origin}/oauth/callback`],
    grant_types: ['authorization_code', 'refresh_token'],
    scope: SCOPE,
  };
  return oidcServer({
    host,
    consent: 'ask',
    clients: [
      { client_id: 'console', token_endpoint_auth_method: 'none', ...client },
      {
        client_id: 'console-2',
        client_secret: CLIENTS.secret,
        token_endpoint_auth_method: 'client_secret_basic',
        ...client,
      },
    ],
  });
}

/** Chooses an issuer as the target of an assessment. */
export async function typeIssuer(on: Page, issuer: string): Promise<void> {
  await on.getByRole('radio', { name: 'Issuer', exact: true }).click();
  await on.getByLabel('Issuer', { exact: true }).fill(issuer);
}

export async function fillIn(on: Page, { issuer, resource }: OidcServer): Promise<void> {
  await on.goto('/oauth/assessments/new');
  await on.getByText('controls can be decided').waitFor();
  await typeIssuer(on, issuer);
  for (const [name, id] of [
    ['Client', 'console'],
    ['Second client', 'console-2'],
  ] as const) {
    await on.getByRole('button', { name: `Add: ${name}` }).click();
    await part(on, name).getByLabel('Client id').fill(id);
    await part(on, name).getByRole('button', { name: 'Use Sluice’s' }).click();
  }
  await part(on, 'Second client').getByLabel('Secret').fill(CLIENTS.secret);
  await on.getByRole('button', { name: 'Add: Resource server' }).click();
  await part(on, 'Resource server').getByLabel('URL').fill(resource);
  await part(on, 'Resource server').getByLabel('Scope that it needs').fill('read');
  await part(on, 'More').getByRole('button').first().click();
  await on.getByRole('textbox', { name: 'Scope', exact: true }).fill(SCOPE);
}

export async function openSignIn(on: Page, context: BrowserContext): Promise<Page> {
  const [window] = await Promise.all([
    context.waitForEvent('page'),
    part(on, 'Sign in')
      .getByRole('link', { name: /^Sign in at/ })
      .click(),
  ]);
  return window;
}
