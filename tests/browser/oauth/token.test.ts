import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { axeFindings, signIn } from '../../fixtures/browser';
import { browserSuite, product, visitor } from '../../fixtures/browser-suite';
import { findUnlinkedDocuments } from '../../fixtures/looks';
import { startProduct } from '../../fixtures/product';
import { realComplaints, startLab } from './lab-page';

browserSuite({ start: startLab });

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

/** A token that no server here knows, and the key that verifies it. */
async function stranger() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' };
  const token = await new SignJWT({ sub: 'ann', aud: 'api', iss: 'https://issuer.example' })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1', typ: 'at+jwt' })
    .setExpirationTime('1h')
    .sign(privateKey);
  return { token, keys: JSON.stringify({ keys: [jwk] }) };
}

/** A server on another origin, and the requests that it got. */
async function keyServer(keys: string, headers: Record<string, string>) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(keys);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`, requests };
}

async function openWorkbench(page: Page, fragment = ''): Promise<void> {
  await page.goto(`/oauth/token${fragment}`, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { level: 1, name: 'Token workbench' }).waitFor();
}
const paste = (page: Page, text: string) => page.getByLabel('Token', { exact: true }).fill(text);
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

describe('a token that is signed with a shared secret', () => {
  it('opens on the field for the secret, and names old times in years', async () => {
    const { page } = await visitor({ viewport: WIDE });
    await openWorkbench(page);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const iat = Math.floor(Date.now() / 1000) - 8 * 31_556_952 - 86_400;
    await paste(page, `${encode({ alg: 'HS256' })}.${encode({ iat })}.AA`);
    await page.getByText('8 years ago').waitFor();
    await page.getByLabel('Shared secret').waitFor();
    expect(await page.getByRole('radio', { name: 'Secret', checked: true }).count()).toBe(1);
  });
});

describe.each([WIDE, NARROW])('the token workbench at $width px', (viewport) => {
  it('takes a pasted token apart without a single request', async () => {
    const { page, complaints } = await visitor({ viewport });
    const { token } = await stranger();
    await openWorkbench(page);
    expect(await axeFindings(page)).toEqual([]);
    expect(await findUnlinkedDocuments(page)).toEqual([]);
    // The toasts load at the first click.
    const toasts = page.waitForResponse((response) => response.url().includes('/_next/static/'));
    await page.getByRole('heading', { level: 1 }).click();
    await (await toasts).finished();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await paste(page, `curl -H 'Authorization: Bearer ${token}' https://api.example/data`);
    await page.getByText('Who issued the token.').waitFor();
    await page.getByText('Not checked.').waitFor();
    await page.getByText('Required claims are missing: client_id, iat, jti.').waitFor();
    await page.getByRole('button', { name: 'Own key, embedded' }).click();
    await page.getByRole('group', { name: 'Forged token in colours' }).waitFor();
    expect(requests).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(await findUnlinkedDocuments(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('sends a token with alg none to the lab, which refuses it, and accepts it without the control', async () => {
    const { page, complaints } = await visitor({ viewport });
    await openWorkbench(page);
    await page.getByRole('button', { name: 'Get a token from the lab' }).click();
    await page.getByText('Verified.').waitFor();
    await page.getByText('0 failed').waitFor();
    await page.getByRole('button', { name: 'alg: none', exact: true }).click();
    await page.getByRole('button', { name: 'Send to /api/data' }).click();
    const lab = region(page, 'Lab');
    await lab.getByText('401 Refused').waitFor();
    await lab.getByText('Refused by: alg-none.').waitFor();
    await lab.getByRole('button', { name: 'Switch it off and send again' }).click();
    await lab.getByText('200 The lab accepted a forged token').waitFor();
    await lab.getByText('It returned the data because these are off: alg-none.').waitFor();
    expect(await lab.getByRole('switch', { name: 'Tokens without a signature are refused' }).isChecked()).toBe(false);
    expect(await overflow(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(await findUnlinkedDocuments(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take it apart' }).click();
    await page.getByText('header, character 1: “alg” is none: nothing protects this token.').waitFor();
    expect(realComplaints(complaints)).toEqual([]);
  });
});

describe('the token workbench', () => {
  it('takes a token out of the fragment, and leaves none in the address', async () => {
    const { page } = await visitor();
    const { token } = await stranger();
    await openWorkbench(page, `#token=${token}`);
    await page.getByText('Who issued the token.').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe(token);
  });

  it('fetches keys on request, in a worker that sends nothing but the request', async () => {
    const { page, complaints } = await visitor();
    const { token, keys } = await stranger();
    const server = await keyServer(keys, { 'access-control-allow-origin': '*' });
    await openWorkbench(page);
    await paste(page, token);
    await page.getByLabel('Address of the keys').fill(server.url);
    await page.getByText('Not checked.').waitFor();
    expect(server.requests).toEqual([]);
    await page.getByRole('button', { name: 'Fetch' }).click();
    await page.getByText('Verified.').waitFor();
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatch(/^GET \/jwks /);
    expect(server.requests[0]).not.toContain(token.slice(-20));
    expect(server.requests[0]).not.toContain('referer');
    expect(complaints).toEqual([]);
    // The page itself may reach no other origin.
    expect(
      await page.evaluate(
        (url) =>
          fetch(url).then(
            () => 'reached',
            () => 'blocked',
          ),
        server.url,
      ),
    ).toBe('blocked');
  });

  it('says what stands in the way of keys that another origin does not share', async () => {
    const { page } = await visitor();
    const { token, keys } = await stranger();
    const server = await keyServer(keys, {});
    await openWorkbench(page);
    await paste(page, token);
    await page.getByLabel('Address of the keys').fill(server.url);
    await page.getByRole('button', { name: 'Fetch' }).click();
    await page.getByText('does not allow other origins to read its keys (CORS)').waitFor();
    await page.getByRole('radio', { name: 'Keys', exact: true }).click();
    await page.getByLabel('Keys', { exact: true }).last().fill(keys);
    await page.getByText('Verified.').waitFor();
  });

  it('puts an error beside the JSON that has it, and signs again once it is mended', async () => {
    const { page } = await visitor();
    await openWorkbench(page, `#token=${(await stranger()).token}`);
    const claims = page.getByLabel('Claims to sign');
    await claims.fill('{\n  "sub": "root",\n}');
    await page.getByText('A comma stands before “}”. (line 3, column 1)').waitFor();
    await page.getByRole('group', { name: 'Forged token in colours' }).waitFor({ state: 'detached' });
    await claims.fill('{"sub": "root", "sub": "ann"}');
    await page.getByText('The member "sub" is repeated. (line 1, column 17)').waitFor();
    await claims.fill('{"sub": "root"}');
    await page.getByRole('button', { name: 'Take it apart' }).click();
    await page.getByRole('group', { name: 'Token in colours', exact: true }).waitFor();
    await page.getByText('root', { exact: true }).first().waitFor();
  });

  it.each([
    ['2YotnFZFEjr1zCsicMWpAA', 'It is opaque, and only its issuer can read it.'],
    ['eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.a.b.c.d', 'This token is encrypted (JWE)'],
    ['eyJhbGciOiJFUzI1NiJ9.e30.AA~WyJhIl0~', 'It is a JWT with 1 disclosures after it'],
    ['a'.repeat(1_000_000), 'It has 1,000,000 characters.'],
    ['a'.repeat(1_048_576), 'The text has 1,048,576 characters.'],
    ['eyJhbGciOiJFUzI1NiJ9.*.AA', '“*” is not a character of base64url.'],
  ])('explains %.40s', async (text, words) => {
    const { page, complaints } = await visitor();
    await openWorkbench(page);
    await paste(page, text);
    await page.getByText(words).first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('stands in the console for those who have signed in', async () => {
    const { page, complaints } = await visitor({ viewport: WIDE });
    await signIn(page, '/settings');
    await page.goto('/oauth/token');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Token workbench' }).waitFor();
    await page.getByRole('navigation', { name: 'OAuth' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

it('counts what members send to the lab in its own class, and visitors by their address as everywhere', async () => {
  const limit = async (value: number) =>
    product.admin('PATCH', '/v1/admin/policies', { classes: { lab: { ip: { limit: value, window_seconds: 60 } } } });
  expect((await limit(1)).status).toBe(200);
  onTestFinished(async () => void (await limit(10_000)));
  const getToken = async (page: Page) => {
    await openWorkbench(page);
    await page.getByRole('button', { name: 'Get a token from the lab' }).click();
  };
  const { page: member } = await visitor();
  await signIn(member, '/settings');
  await getToken(member);
  await member.getByText('Too many requests from your address.').waitFor();
  const { page: stranger } = await visitor();
  await getToken(stranger);
  await stranger.getByText('Verified.').waitFor();
});

it('works without the lab, all but sending to it', async () => {
  const without = await startProduct({ env: { SLUICE_LAB: 'off' } });
  onTestFinished(async () => void (await without.stop()));
  const { page } = await visitor({}, without);
  await openWorkbench(page, `#token=${(await stranger()).token}`);
  await page.getByRole('group', { name: 'Forged token in colours' }).waitFor();
  expect(await page.getByRole('button', { name: /lab/ }).count()).toBe(0);
  expect(await region(page, 'Lab').count()).toBe(0);
});
