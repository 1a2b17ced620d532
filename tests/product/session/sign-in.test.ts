import { describe, expect, it } from 'vitest';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../fixtures/product';
import { product, productSuite } from '../../fixtures/product-suite';
import { Visitor } from '../../fixtures/visitor';

productSuite();

describe('a person with a browser', () => {
  it('comes in, is known, changes something from our own pages only, and goes', async () => {
    const visitor = new Visitor();
    const forged = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' };
    const signedIn = await visitor.signIn(OWNER_EMAIL, OWNER_PASSWORD, forged);
    expect(signedIn.status).toBe(200);
    expect(await signedIn.json()).toEqual({ url: `${product.origin}/` });
    expect(signedIn.headers.get('x-request-id')).not.toBeNull();

    const who = await visitor.send('GET', '/v1/admin/session');
    expect(await who.json()).toMatchObject({ kind: 'member', email: OWNER_EMAIL, role: 'owner' });

    const invite = (headers: Record<string, string>) =>
      visitor.send(
        'POST',
        '/v1/admin/members',
        { email: 'bob@example.com', role: 'viewer', password: 'a password of Bob' },
        headers,
      );
    expect((await invite({})).status).toBe(403);
    expect((await invite({ origin: 'http://evil.test' })).status).toBe(403);
    expect((await invite({ origin: 'http://evil.test', 'x-forwarded-host': 'evil.test' })).status).toBe(403);
    expect((await invite({ origin: product.origin, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await invite({ origin: product.origin, 'sec-fetch-site': 'same-origin' })).status).toBe(201);

    const bob = new Visitor();
    expect((await bob.signIn('bob@example.com', 'a password of Bob')).status).toBe(200);
    expect((await bob.send('GET', '/v1/admin/session')).status).toBe(200);
    expect((await bob.send('GET', '/v1/admin/members')).status).toBe(200);
    const own = { email: 'carl@example.com', role: 'viewer' };
    expect((await bob.send('POST', '/v1/admin/members', own, { origin: product.origin })).status).toBe(403);
    const removed = await visitor.send(
      'DELETE',
      '/v1/admin/members',
      { email: 'bob@example.com' },
      { origin: product.origin },
    );
    expect(removed.status).toBe(204);
    expect((await bob.send('GET', '/v1/admin/session')).status).toBe(401);

    const kept = visitor.cookie;
    const { csrfToken } = (await (await visitor.send('GET', '/api/auth/csrf')).json()) as { csrfToken: string };
    expect(
      (await visitor.send('POST', '/api/auth/signout', new URLSearchParams({ csrfToken, json: 'true' }))).status,
    ).toBe(200);
    const after = await fetch(`${product.origin}/v1/admin/session`, { headers: { cookie: kept } });
    expect(after.status).toBe(401);
    expect(await after.json()).toMatchObject({ error: 'unauthorized' });
  });

  it('is told alike of a wrong password and of an unknown account', async () => {
    const answers = [];
    for (const email of [OWNER_EMAIL, 'nobody@example.com']) {
      const response = await new Visitor().signIn(email, 'wrong');
      answers.push([response.status, await response.text()]);
    }
    expect(answers[0]?.[0]).toBe(401);
    expect(answers[0]).toEqual(answers[1]);
  });

  it('never sees the last owner go', async () => {
    const answer = await product.admin('DELETE', '/v1/admin/members', { email: OWNER_EMAIL });
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([409, 'conflict']);
  });
});

describe('a token', () => {
  it('ends with its revocation', async () => {
    const made = await product.admin('POST', '/v1/admin/tokens', { name: 'pipeline', role: 'viewer' });
    expect(made.status).toBe(201);
    const { id, token } = (await made.json()) as { id: string; token: string };
    const use = () => fetch(`${product.origin}/v1/admin/session`, { headers: { 'x-admin-token': token } });
    expect((await use()).status).toBe(200);
    expect((await product.admin('DELETE', `/v1/admin/tokens/${id}`)).status).toBe(204);
    const refused = await use();
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="sluice", error="invalid_token"');
    expect(product.output()).not.toContain(token);
  });
});

describe('a target after the sign-in', () => {
  const HOSTILE = [
    '/\t/evil.test',
    '/\n/evil.test',
    '/\r/evil.test',
    '//evil.test',
    '/\\evil.test',
    'https://evil.test/',
  ];
  const TARGETS = HOSTILE.flatMap((target) => [target, encodeURIComponent(target)]);

  it.each(['/sign-in', '/sign-in/second-factor', '/api/auth/signin', '/api/auth/signout'])(
    'of %s never leads to another site, and breaks nothing',
    async (path) => {
      for (const target of TARGETS) {
        const url = `${product.origin}${path}?callbackUrl=${encodeURIComponent(target)}`;
        const answer = await fetch(url, { redirect: 'manual' });
        const location = answer.headers.get('location');
        const reached = location === null ? null : new URL(location, product.origin);
        const next = reached?.searchParams.get('callbackUrl') ?? '/';
        expect([target, answer.status < 500]).toEqual([target, true]);
        expect([target, reached?.origin ?? product.origin]).toEqual([target, product.origin]);
        expect([target, new URL(next, product.origin).origin]).toEqual([target, product.origin]);
      }
    },
  );
});
