import { SignJWT } from 'jose';
import { encode } from 'next-auth/jwt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { members, sessions } from '@/drizzle/schema';
import { hashSecret } from '@/lib/auth/secret-hash';
import { findVerifiedUser } from '@/lib/enforcement/caller-identity';
import { loadSigningKey } from '@/lib/oauth/lab/signing-key';
import type { Services } from '@/lib/operation/services';
import { TEST_START, type TestServices, testServices } from '@/tests/fixtures/services';

const ORIGIN = 'http://localhost:3000';
const SECONDS = TEST_START / 1000;

let opened: TestServices;
let services: Services;
let session: string;

beforeAll(async () => {
  opened = await testServices();
  services = opened.services;
  const { drizzle } = services.database;
  const createdAt = TEST_START;
  await drizzle.insert(members).values({
    id: 'member-1',
    email: 'm@example.com',
    role: 'viewer',
    createdAt,
    createdBy: 'test',
    revision: 1,
  });
  await drizzle
    .insert(sessions)
    .values({ id: hashSecret('sid'), memberId: 'member-1', createdAt, expiresAt: TEST_START + 86_400_000 });
  session = `next-auth.session-token=${await encode({ token: { sid: 'sid' }, secret: services.authSecret })}`;
});
afterAll(() => opened[Symbol.dispose]());

async function token(claims: Record<string, unknown> = {}, typ = 'at+jwt'): Promise<string> {
  const lab = { origin: ORIGIN, state: services.labState, now: services.clock, random: services.randomBytes };
  const { privateKey } = await loadSigningKey(lab);
  return new SignJWT({ iss: ORIGIN, sub: 'alice', exp: SECONDS + 60, jti: crypto.randomUUID(), ...claims })
    .setProtectedHeader({ alg: 'ES256', typ })
    .sign(privateKey);
}

const userOf = (headers: Record<string, string>, path = '/api/data', by = services) =>
  findVerifiedUser(new Request(`${ORIGIN}${path}`, { headers: { host: 'localhost:3000', ...headers } }), by, [path]);
const bearer = (text: string, scheme = 'Bearer') => ({ authorization: `${scheme} ${text}` });

describe('the user whom a request is counted for', () => {
  it('is the subject of an access token of this server, however its scheme is written', async () => {
    const good = await token();
    for (const scheme of ['Bearer', 'bearer', 'DPoP', 'Bearer  '])
      expect(await userOf(bearer(good, scheme))).toBe('alice');
    expect(await userOf(bearer(await token({ sub: 'bob' })), '/API')).toBe('bob');
  });

  it('is nobody under a token that is not verified', async () => {
    const good = await token();
    const changed = `${good.slice(0, -4)}${good.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    for (const bad of [
      changed,
      'garbage',
      await token({ iss: 'http://another.example' }),
      await token({ exp: SECONDS - 1 }),
      await token({ exp: undefined }),
      await token({ sub: undefined }),
      await token({}, 'jwt'),
    ])
      expect(await userOf(bearer(bad))).toBeNull();
    expect(await userOf({ authorization: good })).toBeNull();
    expect(await userOf({ authorization: `x Bearer ${good}` })).toBeNull();
    expect(await userOf({ authorization: `Bearer ${good} x` })).toBeNull();
  });

  it('is nobody any more when a token that was verified once has expired, or is shown to another origin', async () => {
    const short = await token({ exp: SECONDS + 10 });
    expect(await userOf(bearer(short))).toBe('alice');
    expect(await userOf({ ...bearer(short), host: 'another.example' })).toBeNull();
    const later = { ...services, clock: () => TEST_START + 10_000 };
    expect(await userOf(bearer(short), '/api/data', later)).toBeNull();
    expect(await userOf(bearer(short), '/api/data', { ...services, clock: () => TEST_START + 9_999 })).toBe('alice');
  });

  it('is the subject of a token at the resources only, and only if the lab is on', async () => {
    const good = await token();
    for (const path of ['/auth/token', '/auth/userinfo/x', '/apis', '/x/api/data'])
      expect(await userOf(bearer(good), path)).toBeNull();
    for (const path of ['/auth/userinfo', '/AUTH/userinfo/']) expect(await userOf(bearer(good), path)).toBe('alice');
    const off = { ...services, config: { ...services.config, SLUICE_LAB: false } };
    expect(await userOf(bearer(good), '/api/data', off)).toBeNull();
  });

  it('is the subject of a token in the form or the query too, as the lab accepts it', async () => {
    const good = await token();
    const path = '/auth/userinfo';
    const form = { method: 'POST', body: new URLSearchParams({ access_token: good }) };
    for (const request of [new Request(ORIGIN + path, form), new Request(`${ORIGIN}${path}?access_token=${good}`)]) {
      request.headers.set('host', 'localhost:3000');
      expect(await findVerifiedUser(request, services, [path])).toBe('alice');
    }
  });

  it('is nobody under a token of more than 8,192 characters', async () => {
    const fits = await token({ pad: 'x'.repeat(5_700) });
    expect(fits.length).toBeLessThanOrEqual(8_192);
    expect(await userOf(bearer(fits))).toBe('alice');
    const long = await token({ pad: 'x'.repeat(6_200) });
    expect(long.length).toBeGreaterThan(8_192);
    expect(await userOf(bearer(long))).toBeNull();
  });

  it('is else the member who is signed in', async () => {
    expect(await userOf({ cookie: session })).toBe('member-1');
    expect(await userOf({ cookie: session }, '/auth/token')).toBe('member-1');
    expect(await userOf({ cookie: session, ...bearer('garbage') })).toBe('member-1');
    expect(await userOf({ cookie: session, ...bearer(await token()) })).toBe('alice');
    expect(await userOf({ cookie: 'next-auth.session-token=garbage' })).toBeNull();
    expect(await userOf({ cookie: 'theme=dark' })).toBeNull();
    expect(await userOf({})).toBeNull();
  });

  it('is nobody when sessions cannot be read: the request is counted for its address alone', async () => {
    const broken = { ...services, database: { drizzle: null } } as unknown as Services;
    expect(await userOf({ cookie: session }, '/api/data', broken)).toBeNull();
  });

  it('is not looked up in the database without a session cookie', async () => {
    const untouchable = {
      ...services,
      get database(): Services['database'] {
        throw new Error('The database was asked.');
      },
    };
    expect(await userOf({ cookie: 'theme=dark' }, '/api/data', untouchable)).toBeNull();
  });
});
