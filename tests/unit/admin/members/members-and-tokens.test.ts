import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { audit } from '@/drizzle/schema';
import { addEffects } from '@/lib/admin/add-effects';
import { inviteMember } from '@/lib/admin/members/invite';
import { listMembers } from '@/lib/admin/members/list';
import { removeMember, removeNamedMember } from '@/lib/admin/members/remove';
import { updateMember, updateNamedMember } from '@/lib/admin/members/update';
import { whoAmI } from '@/lib/admin/session/who-am-i';
import { createToken } from '@/lib/admin/tokens/create';
import { listTokens } from '@/lib/admin/tokens/list';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { authorize } from '@/lib/auth/authorize';
import type { AdminToken } from '@/lib/contract/tokens';
import { createEndpoint } from '@/lib/operation/endpoint';
import packageJson from '@/package.json';
import { type AuthServices, authServices } from '@/tests/fixtures/auth-services';

const OWNER = 'owner-token-of-the-tests-0123456789-0123';

let auth: AuthServices;
beforeEach(async () => {
  auth = await authServices({ SLUICE_ADMIN_TOKEN: OWNER });
  onTestFinished(() => auth[Symbol.dispose]());
});

const routes = {
  '/v1/admin/tokens': [listTokens, createToken],
  '/v1/admin/tokens/{id}': [revokeToken],
  '/v1/admin/members': [listMembers, inviteMember, updateNamedMember, removeNamedMember],
  '/v1/admin/members/{id}': [updateMember, removeMember],
  '/v1/admin/session': [whoAmI],
} as const;

/** Calls the real endpoint, without a server around it. */
async function call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, token = OWNER) {
  const [, collection = '', id] = /^(\/v1\/admin\/\w+)(?:\/([^?]+))?/.exec(path) ?? [];
  const name = (id === undefined ? collection : `${collection}/{id}`) as keyof typeof routes;
  const handlers = createEndpoint(async () => auth.services, routes[name], addEffects);
  const request = new Request(`http://sluice.test${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const params: Record<string, string> = id === undefined ? {} : { id };
  const response = await handlers[method](request, { params: Promise.resolve(params) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers };
}

describe('admin tokens', () => {
  it('are shown once, work, are listed without their secret, and end', async () => {
    const made = await call('POST', '/v1/admin/tokens', { name: ' ci ', role: 'operator' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name: 'ci',
      role: 'operator',
      expires_at: null,
      last_used_at: null,
      created_by: 'bootstrap',
    });
    expect(made.body.token).toMatch(/^slt_[\w-]{43}$/);
    expect(made.body.prefix).toBe(made.body.token.slice(0, 12));
    expect((await call('GET', '/v1/admin/session', undefined, made.body.token)).body).toEqual({
      kind: 'token',
      id: made.body.id,
      email: null,
      name: 'ci',
      role: 'operator',
      version: packageJson.version,
      connection: { client_address: null, peer_address: null, forwarded: false, peer_trusted: false },
    });
    expect((await call('GET', '/v1/admin/tokens', undefined, made.body.token)).status).toBe(200);
    expect((await call('POST', '/v1/admin/tokens', { name: 'another', role: 'viewer' }, made.body.token)).status).toBe(
      403,
    );
    const { token, ...shown } = made.body;
    expect((await call('GET', '/v1/admin/tokens')).body).toEqual([shown]);
    expect((await call('DELETE', `/v1/admin/tokens/${made.body.id}`)).status).toBe(204);
    expect((await call('GET', '/v1/admin/session', undefined, token)).status).toBe(401);
    expect((await call('GET', '/v1/admin/tokens')).body).toEqual([]);
    expect((await call('DELETE', `/v1/admin/tokens/${made.body.id}`)).status).toBe(404);
    const dump = JSON.stringify(await auth.file.database.drizzle.select().from(audit));
    expect(dump).toContain('token.revoke');
    expect(dump).not.toContain(token);
  });

  it('have names of their own while they last', async () => {
    const { body } = await call('POST', '/v1/admin/tokens', { name: 'ci', role: 'viewer' });
    expect((await call('POST', '/v1/admin/tokens', { name: 'ci', role: 'viewer' })).body.error).toBe('conflict');
    await call('DELETE', `/v1/admin/tokens/${body.id}`);
    expect((await call('POST', '/v1/admin/tokens', { name: 'ci', role: 'viewer' })).status).toBe(201);
  });

  it.each([
    [{}],
    [{ name: '', role: 'viewer' }],
    [{ name: 'x'.repeat(101), role: 'viewer' }],
    [{ name: 'a\nb', role: 'viewer' }],
    [{ name: 'a', role: 'admin' }],
    [{ name: 'a', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' }],
    [{ name: 'a', role: 'viewer', expires_at: 'tomorrow' }],
    [{ name: 'a', role: 'viewer', token: 'slt_mine' }],
    [{ name: 'a', role: 'viewer', __proto__x: 1 }],
  ])('refuse %o', async (body) => {
    expect((await call('POST', '/v1/admin/tokens', body)).body.error).toBe('invalid_request');
    expect((await call('GET', '/v1/admin/tokens')).body).toEqual([]);
  });

  it('come in pages', async () => {
    for (let i = 0; i < 5; i += 1) await auth.token('viewer');
    const all = (await call('GET', '/v1/admin/tokens')).body as AdminToken[];
    const seen: string[] = [];
    let path: string | undefined = '/v1/admin/tokens?limit=2';
    while (path !== undefined) {
      const page = await call('GET', path);
      seen.push(...(page.body as AdminToken[]).map(({ id }) => id));
      path = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(all.map(({ id }) => id));
    expect(seen).toHaveLength(5);
  });

  it('remember when they were used, at most once a minute', async () => {
    const { token } = await auth.token('owner');
    const use = async () => {
      const request = new Request('http://sluice.test/', { headers: { 'x-admin-token': token } });
      await authorize('viewer', request, auth.services, { now: auth.services.clock(), address: null });
      await auth.services.auth.uses.flush();
      return ((await call('GET', '/v1/admin/tokens')).body as AdminToken[])[0]?.last_used_at;
    };
    const first = await use();
    expect(first).toBe(new Date(auth.services.clock()).toISOString());
    auth.pass(59_999);
    expect(await use()).toBe(first);
    auth.pass(1);
    expect(await use()).toBe(new Date(auth.services.clock()).toISOString());
  });
});

describe('members', () => {
  const invite = (email: string, role: string, more: object = {}) =>
    call('POST', '/v1/admin/members', { email, role, ...more });

  it('are invited once by a canonical address, never with their password in an answer', async () => {
    const made = await invite('Ada@Example.com', 'owner', { password: 'a good password', name: 'Ada' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      email: 'ada@example.com',
      role: 'owner',
      name: 'Ada',
      has_password: true,
      last_sign_in_at: null,
    });
    expect((await invite('ADA@example.com', 'viewer')).status).toBe(409);
    expect((await invite('bob@example.com', 'viewer')).body).toMatchObject({ has_password: false });
    const list = await call('GET', '/v1/admin/members');
    expect(list.body.map((member: { email: string }) => member.email)).toEqual(['ada@example.com', 'bob@example.com']);
    expect(
      JSON.stringify(list.body) + JSON.stringify(await auth.file.database.drizzle.select().from(audit)),
    ).not.toContain('argon2');
  });

  it('are changed and removed by path or by body', async () => {
    await invite('owner@example.com', 'owner');
    const { id } = (await invite('bob@example.com', 'viewer')).body;
    expect((await call('PATCH', `/v1/admin/members/${id}`, { role: 'operator' })).body.role).toBe('operator');
    expect((await call('PATCH', '/v1/admin/members', { email: 'BOB@example.com', name: 'Bob' })).body).toMatchObject({
      role: 'operator',
      name: 'Bob',
    });
    expect((await call('PATCH', '/v1/admin/members', { id: id.toUpperCase(), name: null })).body.name).toBeNull();
    expect((await call('PATCH', '/v1/admin/members', { role: 'viewer' })).status).toBe(400);
    expect((await call('PATCH', '/v1/admin/members', { id, email: 'bob@example.com', role: 'viewer' })).status).toBe(
      400,
    );
    expect((await call('DELETE', '/v1/admin/members', { email: 'bob@example.com' })).status).toBe(204);
    expect((await call('DELETE', `/v1/admin/members/${id}`)).status).toBe(404);
    expect((await invite('bob@example.com', 'viewer')).status).toBe(201);
  });

  it('always have one owner left, also when two go at the same time', async () => {
    const first = (await invite('one@example.com', 'owner')).body.id;
    expect((await call('DELETE', `/v1/admin/members/${first}`)).body.error).toBe('conflict');
    expect((await call('PATCH', `/v1/admin/members/${first}`, { role: 'viewer' })).body.error).toBe('conflict');
    const second = (await invite('two@example.com', 'owner')).body.id;
    const answers = await Promise.all([
      call('DELETE', `/v1/admin/members/${first}`),
      call('PATCH', `/v1/admin/members/${second}`, { role: 'operator' }),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(1);
    const owners = ((await call('GET', '/v1/admin/members')).body as { role: string }[]).filter(
      ({ role }) => role === 'owner',
    );
    expect(owners).toHaveLength(1);
  });

  it.each([
    [{ email: 'nobody', role: 'viewer' }],
    [{ email: 'a@b@c', role: 'viewer' }],
    [{ email: 'a@example.com', role: 'gateway' }],
    [{ email: 'a@example.com' }],
    [{ email: 'a@example.com', role: 'viewer', password: 'short' }],
    [{ email: 'a@example.com', role: 'viewer', password: 'x'.repeat(1025) }],
    [{ email: 'a@example.com', role: 'viewer', passwordHash: 'x' }],
  ])('refuse %o', async (body) => {
    expect((await call('POST', '/v1/admin/members', body)).body.error).toBe('invalid_request');
  });
});
