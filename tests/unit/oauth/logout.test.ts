import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { makeLab } from './lab-fixture';

const SIGNED_OUT = 'https://app.example.com/signed-out';

const logout = (lab: ReturnType<typeof makeLab>, fields: Record<string, string>, off?: string) =>
  lab.send(`/auth/logout?${new URLSearchParams(fields)}`, { off });

/** The ticket in a page that asks. */
const ticketOf = (page: string): string => page.match(/name="ticket" value="([^"]+)"/)?.[1] ?? '';

describe('the logout of the lab', () => {
  test('ends the access tokens of the session that the ID token names, and leaves its refresh token', async () => {
    const lab = makeLab();
    const tokens = await lab.tokensFor();
    const other = await lab.tokensFor();
    const hint = { id_token_hint: tokens.id_token, post_logout_redirect_uri: SIGNED_OUT, state: 'a &=b' };
    const answer = await logout(lab, hint);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${SIGNED_OUT}?state=a+%26%3Db`);
    expect((await lab.data(tokens.access_token)).status).toBe(401);
    expect((await lab.data(other.access_token)).status).toBe(200);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: 'demo-client' };
    expect((await lab.form('/auth/token', refresh)).status).toBe(200);
  });

  test('takes an expired ID token, by POST too', async () => {
    const lab = makeLab();
    const { id_token } = await lab.tokensFor();
    lab.advance(3_600_000);
    const answer = await lab.form('/auth/logout', { id_token_hint: id_token, client_id: 'demo-client' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('You are signed out');
  });

  test('asks without an ID token, once, and goes where the client registered', async () => {
    const lab = makeLab();
    const fields = { client_id: 'demo-client', post_logout_redirect_uri: SIGNED_OUT, state: 's' };
    const page = await logout(lab, fields);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('content-security-policy')).toContain('https://app.example.com');
    const ticket = ticketOf(await page.text());
    const decide = (decision: string, headers = {}) =>
      lab.form('/auth/logout/decision', { ticket, decision }, { headers });
    expect((await decide('approve', { 'sec-fetch-site': 'cross-site' })).status).toBe(400);
    const approved = await decide('approve');
    expect([approved.status, approved.headers.get('location')]).toEqual([303, `${SIGNED_OUT}?state=s`]);
    expect((await decide('approve')).status).toBe(400);
  });

  test('leaves everything as it is where the user cancels', async () => {
    const lab = makeLab();
    const ticket = ticketOf(await (await logout(lab, {})).text());
    const answer = await lab.form('/auth/logout/decision', { ticket, decision: 'deny' });
    expect(await answer.text()).toContain('You are still signed in');
  });

  test('takes no ticket of a consent page', async () => {
    const lab = makeLab();
    const ticket = ticketOf(await (await logout(lab, {})).text());
    expect((await lab.form('/auth/authorize/decision', { ticket, decision: 'approve' })).status).toBe(400);
  });

  const refused: [string, Record<string, string>, string][] = [
    [
      'an unregistered address',
      { client_id: 'demo-client', post_logout_redirect_uri: `${SIGNED_OUT}/` },
      'logout-redirect-uri',
    ],
    ['an address without a client', { post_logout_redirect_uri: SIGNED_OUT }, 'logout-redirect-uri'],
    [
      'a client without addresses',
      { client_id: 'demo-native', post_logout_redirect_uri: SIGNED_OUT },
      'logout-redirect-uri',
    ],
    ['an unknown client', { client_id: 'nobody' }, 'No client has this client_id.'],
    ['no URL', { client_id: 'demo-client', post_logout_redirect_uri: 'signed-out' }, 'is not a URL'],
    ['a malformed hint', { id_token_hint: 'e30.e30.' }, 'id_token_hint'],
  ];
  test.each(refused)('refuses %s with a page', async (_, fields, reason) => {
    const answer = await logout(makeLab(), fields);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(await answer.text()).toContain(reason);
  });

  test('refuses hints of another client, changed ones and access tokens', async () => {
    const lab = makeLab();
    const { id_token, access_token } = await lab.tokensFor();
    const [header, , signature] = id_token.split('.');
    const changed = Buffer.from(JSON.stringify({ ...decodeJwt(id_token), sub: 'other' })).toString('base64url');
    const bad: Record<string, string>[] = [
      { id_token_hint: id_token, client_id: 'demo-confidential' },
      { id_token_hint: `${header}.${changed}.${signature}` },
      { id_token_hint: access_token },
    ];
    for (const fields of bad) {
      const answer = await logout(lab, fields);
      expect(answer.status).toBe(400);
    }
    expect((await lab.data(access_token)).status).toBe(200);
  });

  test('never redirects to an unregistered address, whatever is off', async () => {
    const fields = { client_id: 'demo-client', post_logout_redirect_uri: 'https://evil.example/' };
    const lab = makeLab();
    const page = await logout(lab, fields, 'logout-redirect-uri=?0');
    const ticket = ticketOf(await page.text());
    const answer = await lab.form('/auth/logout/decision', { ticket, decision: 'approve' });
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null]);
    expect(answer.headers.get('sluice-lab-location')).toBe('https://evil.example/');
  });
});
