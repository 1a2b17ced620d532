import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../fixtures/product';
import { product, productSuite } from '../../fixtures/product-suite';
import { Visitor } from '../../fixtures/visitor';

const ROOM = { ip: { limit: 100_000, window_seconds: 60 }, user: { limit: 100_000, window_seconds: 3600 } };
const PASSWORD = 'a password of my own';

productSuite({
  SLUICE_LOG_LEVEL: 'trace',
  SLUICE_POLICIES: JSON.stringify({ classes: { auth: ROOM } }),
  SLUICE_TRUSTED_PROXIES: '127.0.0.1/32',
});

interface Invited {
  id: string;
  email: string;
  state: string;
  invitation: { url: string; expires_at: string } | null;
}

let names = 0;

async function invite(more: object = {}): Promise<Invited> {
  names += 1;
  const body = { email: `guest${names}@example.com`, role: 'viewer', ...more };
  const response = await product.admin('POST', '/v1/admin/members', body);
  expect(response.status).toBe(201);
  return (await response.json()) as Invited;
}

const tokenOf = (url: string | undefined) => new URL(url ?? '').hash.slice(1);

async function newLink(id: string): Promise<string> {
  const response = await product.admin('POST', `/v1/admin/members/${id}/invitation`);
  expect(response.status).toBe(201);
  return tokenOf(((await response.json()) as { url: string }).url);
}

async function memberOf(id: string): Promise<Record<string, unknown> | undefined> {
  const list = (await (await product.admin('GET', '/v1/admin/members')).json()) as { id: string }[];
  return list.find((member) => member.id === id);
}

const read = (token: string) =>
  fetch(`${product.origin}/v1/invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });

const errorOf = async (response: Response) =>
  new URL(((await response.json()) as { url: string }).url).searchParams.get('error');

describe('somebody who is invited', () => {
  it('opens the link, sets a password and is signed in, and from then on signs in with it', async () => {
    const { id, email, state, invitation } = await invite({ role: 'operator', name: 'Grace' });
    expect(state).toBe('invited');
    const hours = (Date.parse(invitation?.expires_at ?? '') - Date.now()) / 3_600_000;
    expect([hours > 71.9, hours <= 72]).toEqual([true, true]);
    const token = tokenOf(invitation?.url);
    expect(invitation?.url).toBe(`${product.origin}/invitation#${token}`);
    expect(await (await read(token)).json()).toEqual({
      email,
      name: 'Grace',
      role: 'operator',
      resets: false,
      second_factor: false,
      expires_at: invitation?.expires_at,
    });

    const guest = new Visitor();
    expect((await guest.accept(token, PASSWORD)).status).toBe(200);
    expect(await (await guest.send('GET', '/v1/admin/session')).json()).toMatchObject({ email, role: 'operator' });
    expect(await memberOf(id)).toMatchObject({ state: 'active', has_password: true, invitation_expires_at: null });
    expect((await new Visitor().signIn(email, PASSWORD)).status).toBe(200);
  });

  it('gets no page that tells others of the link', async () => {
    const page = await fetch(`${product.origin}/invitation`);
    expect(page.status).toBe(200);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toContain('no-store');
  });

  it('may choose no password that breaks the rules, and can try again', async () => {
    const token = tokenOf((await invite()).invitation?.url);
    const guest = new Visitor();
    expect((await guest.accept(token, 'short')).status).toBe(400);
    expect((await guest.accept(token, 'x'.repeat(1025))).status).toBe(400);
    expect((await guest.accept(token, PASSWORD)).status).toBe(200);
  });
});

describe('a link is void', () => {
  const gone = async (token: string) => {
    expect((await read(token)).status).toBe(404);
    const response = await new Visitor().accept(token, 'another password');
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toBe('InvitationGone');
  };

  it('after its use', async () => {
    const token = tokenOf((await invite()).invitation?.url);
    expect((await new Visitor().accept(token, PASSWORD)).status).toBe(200);
    await gone(token);
  });

  it('when a newer one was made', async () => {
    const { id, invitation } = await invite();
    const newer = await newLink(id);
    await gone(tokenOf(invitation?.url));
    expect((await new Visitor().accept(newer, PASSWORD)).status).toBe(200);
  });

  it('when the member was removed', async () => {
    const { id, invitation } = await invite();
    expect((await product.admin('DELETE', `/v1/admin/members/${id}`)).status).toBe(204);
    await gone(tokenOf(invitation?.url));
  });

  it('when an owner has set the password, or the member has', async () => {
    const { id, email, invitation } = await invite();
    await product.admin('PATCH', `/v1/admin/members/${id}`, { password: PASSWORD });
    await gone(tokenOf(invitation?.url));
    const link = await newLink(id);
    const guest = new Visitor();
    await guest.signIn(email, PASSWORD);
    const change = { current_password: PASSWORD, new_password: 'the next password' };
    expect((await guest.call('POST', '/v1/admin/session/password', change)).status).toBe(204);
    await gone(link);
  });

  it('when it is not exactly the one that was made', async () => {
    const token = tokenOf((await invite()).invitation?.url);
    const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    await gone(other);
    for (const wrong of ['', 'sli_', token.slice(4), `${token}A`, token.toUpperCase()]) {
      expect([400, 404]).toContain((await read(wrong)).status);
      expect((await new Visitor().accept(wrong, PASSWORD)).status).toBe(404);
    }
    expect((await read(token)).status).toBe(200);
  });
});

describe('one link in many hands', () => {
  it('opens the account once', async () => {
    const { email, invitation } = await invite();
    const token = tokenOf(invitation?.url);
    const hands = Array.from({ length: 8 }, (_, hand) => `the password of hand ${hand}`);
    const answers = await Promise.all(
      hands.map(async (password) => (await new Visitor().accept(token, password)).status),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
    expect(answers.filter((status) => status === 404)).toHaveLength(7);
    const winner = hands[answers.indexOf(200)] ?? '';
    expect((await new Visitor().signIn(email, winner)).status).toBe(200);
  });
});

describe('a password reset by an owner', () => {
  it("leaves the password until the link is used, then ends the member's sessions", async () => {
    const { id, email } = await invite({ password: PASSWORD });
    const before = new Visitor();
    await before.signIn(email, PASSWORD);
    const token = await newLink(id);
    expect(await (await read(token)).json()).toMatchObject({ resets: true });
    expect((await before.send('GET', '/v1/admin/session')).status).toBe(200);
    expect((await new Visitor().signIn(email, PASSWORD)).status).toBe(200);

    const after = new Visitor();
    expect((await after.accept(token, 'another new password')).status).toBe(200);
    expect((await before.send('GET', '/v1/admin/session')).status).toBe(401);
    expect((await after.send('GET', '/v1/admin/session')).status).toBe(200);
    expect((await new Visitor().signIn(email, PASSWORD)).status).toBe(401);
  });

  it('is for owners, from our own pages', async () => {
    const { id, email } = await invite({ role: 'operator', password: PASSWORD });
    const operator = new Visitor();
    await operator.signIn(email, PASSWORD);
    expect((await operator.call('POST', `/v1/admin/members/${id}/invitation`)).status).toBe(403);
    const owner = new Visitor();
    await owner.signIn(OWNER_EMAIL, OWNER_PASSWORD);
    const path = `/v1/admin/members/${id}/invitation`;
    expect((await owner.send('POST', path, undefined, { origin: 'http://evil.test' })).status).toBe(403);
    expect((await owner.send('POST', path)).status).toBe(403);
    expect((await owner.call('POST', path)).status).toBe(201);
    expect((await owner.call('POST', '/v1/admin/members/0198c0de-0000-7000-8000-000000000000/invitation')).status).toBe(
      404,
    );
  });
});

describe('another site', () => {
  it('cannot use a link in the browser of a member, which would sign them in as somebody else', async () => {
    const token = tokenOf((await invite()).invitation?.url);
    const member = new Visitor();
    await member.signIn(OWNER_EMAIL, OWNER_PASSWORD);
    expect((await member.accept(token, PASSWORD, '', { origin: 'http://evil.test' })).status).toBe(403);
    const form = new URLSearchParams({ token, password: PASSWORD, csrfToken: 'made-up', json: 'true' });
    expect((await member.send('POST', '/api/auth/callback/invitation', form)).status).toBe(403);
    expect(await (await member.send('GET', '/v1/admin/session')).json()).toMatchObject({ email: OWNER_EMAIL });
    expect((await read(token)).status).toBe(200);
  });
});

describe('a member who cannot sign in', () => {
  it('is shown as such, until there is a link', async () => {
    const { id, state, invitation } = await invite({ invitation: false });
    expect([state, invitation]).toEqual(['cannot_sign_in', null]);
    expect(await memberOf(id)).toMatchObject({ state: 'cannot_sign_in', last_sign_in_at: null });
    await newLink(id);
    expect(await memberOf(id)).toMatchObject({ state: 'invited', invitation_expires_at: expect.any(String) });
  });
});

describe('the tokens of links', () => {
  it('are nowhere: not in the database, the log, the audit log or an address', async () => {
    const { id, invitation } = await invite();
    const [first, second] = [tokenOf(invitation?.url), await newLink(id)];
    await read(first);
    // Where somebody could put one by mistake.
    await fetch(`${product.origin}/invitation?token=${second}`);
    await product.admin('PATCH', `/v1/admin/members/${id}?reason=${second}`, { name: 'Guest' });
    await new Visitor().accept(second, PASSWORD);
    const audit = await (await product.admin('GET', '/v1/admin/audit')).text();
    const kept = readdirSync(product.directory).map((name) =>
      readFileSync(join(product.directory, name)).toString('latin1'),
    );
    for (const token of [first, second]) {
      for (const place of [audit, product.output(), ...kept]) expect(place.includes(token)).toBe(false);
    }
    for (const action of ['member.invite', 'member.create_invitation', 'member.accept_invitation'])
      expect(audit).toContain(action);
  });
});
