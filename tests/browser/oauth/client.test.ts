import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, signIn } from '../../fixtures/browser';
import { browserSuite, complaints, product, signedIn, visitor } from '../../fixtures/browser-suite';
import { findUnlinkedDocuments } from '../../fixtures/looks';
import { type OidcServer, oidcServer } from '../../fixtures/oidc-server';
import { startProduct } from '../../fixtures/product';
import { realComplaints } from './lab-page';

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESK: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
const SECRET = 'a-secret-of-a-web-client-0123456789';

const room = { limit: 10_000, window_seconds: 60 };
const policies = {
  classes: { auth: { ip: room }, read: { ip: room }, write: { ip: room } },
  clients: { public: room },
};
browserSuite({
  signInAt: '/oauth/client',
  start: () =>
    startProduct({ env: { SLUICE_ASSESS_ALLOW: '127.0.0.1/32', SLUICE_POLICIES: JSON.stringify(policies) } }),
});

let server: OidcServer;
beforeAll(async () => {
  const redirect_uris = [`${product.origin}/oauth/callback`];
  const scope = 'openid profile offline_access read';
  const grant_types = ['authorization_code', 'refresh_token'];
  const native = { redirect_uris, scope, grant_types, application_type: 'native' } as const;
  server = await oidcServer({
    consent: 'ask',
    everyGrant: true,
    clients: [
      { client_id: 'public', token_endpoint_auth_method: 'none', ...native },
      { client_id: 'web', client_secret: SECRET, token_endpoint_auth_method: 'client_secret_basic', ...native },
    ],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const answer = (page: Page) => page.getByRole('region', { name: 'Response' });
const checksOf = (page: Page) => answer(page).getByRole('list', { name: 'Checks' });

/** Opens the page, and waits until the lab was discovered. */
async function open(page: Page): Promise<void> {
  await page.goto('/oauth/client');
  await page.getByRole('list', { name: 'What the server offers' }).waitFor();
}

async function chooseServer(page: Page, clientId: string): Promise<void> {
  await page.getByRole('button', { name: 'Another server' }).click();
  await page.getByLabel('Issuer').fill(server.issuer);
  await page.getByRole('button', { name: 'Discover' }).click();
  await page.getByRole('list', { name: 'What the server offers' }).waitFor();
  await page.getByLabel('Client id').fill(clientId);
  await page.getByLabel('Scope', { exact: true }).fill('openid profile offline_access');
}

/** Opens the page of the server in a window, signs in and agrees, and waits until the code is back. */
async function authorize(page: Page): Promise<void> {
  const [window] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: "Open the server's page" }).click(),
  ]);
  await window.getByPlaceholder('Enter any login').fill('someone');
  await window.getByPlaceholder('and password').fill('anything');
  await window.getByRole('button', { name: 'Sign-in' }).click();
  await window.getByRole('button', { name: 'Continue' }).click();
  await checksOf(page).getByText('The state is the one that this page sent.').waitFor();
  await checksOf(page).getByText('The response names the issuer that was asked.').waitFor();
}

async function next(page: Page, step: string): Promise<void> {
  await page.getByRole('button', { name: `Next: ${step}` }).click();
}

async function send(page: Page, step: string, status: number): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await answer(page)
    .getByRole('heading', { name: `Response ${step} ${status}` })
    .waitFor();
}

const step = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name }).click();

/** Everything that a check found wrong. */
const failures = (page: Page) =>
  checksOf(page)
    .getByRole('listitem')
    .filter({ has: page.getByLabel('Failed:') })
    .count();

describe.each([
  ['1440 px', DESK],
  ['390 px', PHONE],
])('any server, at %s', (_, context) => {
  it('is discovered, authorized in a window, and used to the end with PAR and DPoP', async () => {
    const { page, complaints: said } = await signedIn(context);
    await open(page);
    await chooseServer(page, 'public');
    await page.getByRole('switch', { name: 'DPoP' }).click();
    await page.getByRole('switch', { name: 'Pushed request (PAR)' }).click();
    await step(page, 'Push the request');
    await send(page, 'Push the request', 201);
    await next(page, 'Authorize');
    await authorize(page);
    await next(page, 'Token');
    await send(page, 'Token', 200);
    await checksOf(page).getByText('The token is of the type that was asked for (DPoP).').waitFor();
    await checksOf(page).getByText('Verified (RS256).').waitFor();
    expect(await failures(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(await findUnlinkedDocuments(page)).toEqual([]);
    await next(page, 'Userinfo');
    await send(page, 'Userinfo', 200);
    await answer(page).getByText('A person', { exact: false }).first().waitFor();
    await next(page, 'Refresh');
    await send(page, 'Refresh', 200);
    await checksOf(page).getByText('Same person as before.').waitFor();
    await next(page, 'Revoke');
    await send(page, 'Revoke', 200);
    await step(page, 'Refresh');
    await send(page, 'Refresh', 400);
    await checksOf(page).getByText('invalid_grant').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    expect(realComplaints(said)).toEqual([]);
  });
});

it('takes a confidential client through the flow, and never takes a code of another request', async () => {
  const { page } = await signedIn(DESK);
  await open(page);
  await chooseServer(page, 'web');
  await page.getByLabel('Authentication').selectOption('basic');
  await page.getByLabel('Client secret').fill(SECRET);
  await authorize(page);
  await page.getByText('Signed in with another browser? Paste the address').click();
  await page
    .getByLabel('Address that the server sent')
    .fill(`${product.origin}/oauth/callback?code=planted&state=other`);
  await page.getByRole('button', { name: 'Submit' }).click();
  await checksOf(page).getByText('The state is not the one that this page sent').waitFor();
  expect(await page.getByRole('button', { name: /^Next/ }).count()).toBe(0);
  await step(page, 'Token');
  expect(await page.getByLabel('code', { exact: true }).inputValue()).not.toBe('planted');
  await send(page, 'Token', 200);
  await step(page, 'Introspect');
  await send(page, 'Introspect', 200);
  await checksOf(page).getByText('The token is active.').waitFor();
  await page.getByRole('tab', { name: 'curl' }).click();
  const code = page.getByRole('group', { name: 'The request as curl' });
  expect(await code.textContent()).not.toContain(SECRET);
  await page.getByRole('switch', { name: 'Put secrets in' }).click();
  expect(await code.textContent()).toContain(SECRET);
});

it('takes the lab through the flow, also after the page of the server refused', async () => {
  const { page } = await signedIn(DESK);
  await open(page);
  const decide = async (opener: string, button: 'Allow' | 'Deny') => {
    const [window] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('button', { name: opener }).click(),
    ]);
    // The window closes itself once this page has the response.
    await Promise.all([window.waitForEvent('close'), window.getByRole('button', { name: button }).click()]);
  };
  await decide("Open the server's page", 'Deny');
  await checksOf(page).getByText('The server refused: access_denied.').waitFor();
  await decide('Open the page again', 'Allow');
  await next(page, 'Token');
  await send(page, 'Token', 200);
  await checksOf(page).getByText('Verified (RS256).').waitFor();
  await answer(page).getByRole('button', { name: 'Access token JWT' }).click();
  const [workbench] = await Promise.all([
    page.context().waitForEvent('page'),
    answer(page).getByRole('link', { name: 'Open in the token workbench' }).click(),
  ]);
  await workbench.getByText('Verified.').waitFor();
  expect(workbench.url()).toBe(`${product.origin}/oauth/token`);
  await step(page, 'Call a resource');
  await send(page, 'Call a resource', 200);
});

it('introspects at the lab as a confidential client, and says why public clients and this server leave steps out', async () => {
  const { page } = await signedIn(DESK);
  await open(page);
  await step(page, 'Introspect');
  await page.getByText('Public clients skip this: only callers that authenticate').waitFor();
  await step(page, 'Client credentials');
  await page.getByText('its metadata do not list the grant client_credentials').waitFor();
  await page.getByRole('combobox', { name: 'Environment' }).selectOption('Lab, confidential client');
  const [window] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: "Open the server's page" }).click(),
  ]);
  await window.getByRole('button', { name: 'Allow' }).click();
  await next(page, 'Token');
  await send(page, 'Token', 200);
  await next(page, 'Userinfo');
  await send(page, 'Userinfo', 200);
  await next(page, 'Refresh');
  await send(page, 'Refresh', 200);
  await next(page, 'Introspect');
  await send(page, 'Introspect', 200);
  await checksOf(page).getByText('The token is active.').waitFor();
  await next(page, 'Revoke');
  await send(page, 'Revoke', 200);
});

it('keeps environments over a reload without their secrets, and reads whatever stands in the storage', async () => {
  const { page } = await signedIn(DESK);
  await open(page);
  await page.evaluate(() => localStorage.setItem('sluice.oauth.environments', '[1,{"name":7},"x"'));
  await page.reload();
  await page.getByRole('list', { name: 'What the server offers' }).waitFor();
  await chooseServer(page, 'web');
  await page.getByLabel('Name', { exact: true }).fill('Staging');
  await page.getByLabel('Authentication').selectOption('post');
  await page.getByLabel('Client secret').fill(SECRET);
  const stored = () => page.evaluate(() => localStorage.getItem('sluice.oauth.environments'));
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await page.getByRole('button', { name: 'Forget' }).waitFor();
  expect(await stored()).toContain('Staging');
  expect(await stored()).not.toContain(SECRET);
  await page.getByLabel('Keep secret and key too').click();
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await expect.poll(stored).toContain(SECRET);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  await page.reload();
  // What was filled in is back as a draft, without its secret.
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Staging');
  expect(await page.getByLabel('Client secret').inputValue()).toBe('');
  await page.getByRole('combobox', { name: 'Environment' }).selectOption('Staging');
  expect(await page.getByLabel('Client secret').inputValue()).toBe(SECRET);
  await page.getByRole('button', { name: 'Forget' }).click();
  await expect.poll(stored).toBe('[]');
  await page.getByLabel('File with an environment').setInputFiles(await download.path());
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Staging');
  await expect.poll(() => page.getByLabel('Client secret').inputValue()).toBe('');
});

it('says why a server cannot be reached', async () => {
  const closed = await startProduct({ env: { SLUICE_POLICIES: JSON.stringify(policies) } });
  try {
    const { page } = await visitor(DESK, closed);
    await signIn(page, '/oauth/client');
    await page.getByRole('list', { name: 'What the server offers' }).waitFor();
    await page.getByRole('button', { name: 'Another server' }).click();
    await page.getByLabel('Issuer').fill(server.issuer);
    await page.getByRole('button', { name: 'Discover' }).click();
    await page.getByText('SLUICE_ASSESS_ALLOW opens private ones').waitFor();
  } finally {
    await closed.stop();
  }
});

it('never complains in the console', () => {
  expect(realComplaints(complaints)).toEqual([]);
});
