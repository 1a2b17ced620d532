import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signingKey } from '@/lib/oauth/lab/signing-key';
import { makeLab, ORIGIN, START } from './lab-fixture';

const lab = makeLab();
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

let header: Record<string, unknown>;
let claims: Record<string, unknown>;
let genuine: string;
let own: Awaited<ReturnType<typeof generateKeyPair>>;
let evil: Server;
let evilOrigin: string;
let asked = 0;

beforeAll(async () => {
  genuine = (await lab.tokensFor()).access_token;
  [header, claims] = genuine.split('.', 2).map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()));
  own = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'mine', alg: 'ES256', use: 'sig' };
  evil = createServer((_, response) => {
    asked += 1;
    response.end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((done) => evil.listen(0, '127.0.0.1', done));
  evilOrigin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
});
afterAll(() => evil.close());

/** Signed with a key of the attacker. */
const mine = (more: Record<string, unknown> = {}, changed: Record<string, unknown> = {}) =>
  new SignJWT({ ...claims, ...changed })
    .setProtectedHeader({ ...header, ...more } as JWTHeaderParameters)
    .sign(own.privateKey, more.crit === undefined ? {} : { crit: { 'urn:x': true } });
/** Signed with the very key of the lab, as if it had issued it. */
const theirs = async (changed: Record<string, unknown>, more: Record<string, unknown> = {}) => {
  const { privateKey, kid } = await signingKey(lab.services);
  const left = Object.fromEntries(Object.entries({ ...claims, ...changed }).filter(([, value]) => value !== undefined));
  return new SignJWT(left)
    .setProtectedHeader({ ...header, kid, ...more } as JWTHeaderParameters)
    .sign(privateKey, more.crit === undefined ? {} : { crit: { 'urn:x': true } });
};
const unsigned = (alg: string) => `${part({ ...header, alg })}.${part({ ...claims, sub: 'administrator' })}.`;
const symmetric = async (secret: string | Buffer, hash = 'sha256') => {
  const signed = `${part({ ...header, alg: hash === 'sha256' ? 'HS256' : 'HS512' })}.${part(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
};
const now = START / 1_000;

const FORGED: Record<string, () => Promise<string> | string> = {
  'alg none': () => unsigned('none'),
  'alg None': () => unsigned('None'),
  'alg nOnE': () => unsigned('nOnE'),
  'alg empty': () => unsigned(''),
  'alg none with a signature': () => unsigned('none') + genuine.split('.')[2],
  'no signature': () => `${genuine.split('.', 2).join('.')}.`,
  'HS256 with the PEM of the public key': async () =>
    symmetric(await exportSPKI((await signingKey(lab.services)).publicKey)),
  'HS512 with the PEM of the public key': async () =>
    symmetric(await exportSPKI((await signingKey(lab.services)).publicKey), 'sha512'),
  'HS256 with the JWK of the public key': async () =>
    symmetric(JSON.stringify((await signingKey(lab.services)).publicJwk)),
  'HS256 with an empty key': () => symmetric(''),
  'HS256 with the key id': () => symmetric(String(header.kid)),
  'another key': () => mine(),
  'another key, embedded as jwk': async () => mine({ jwk: await exportJWK(own.publicKey) }),
  'another key at a jku': () => mine({ jku: `${evilOrigin}/jwks`, kid: 'mine' }),
  'another key at an x5u': () => mine({ x5u: `${evilOrigin}/certificate` }),
  'another key in an x5c': () => mine({ x5c: ['MIIB'] }),
  'kid unknown': () => mine({ kid: 'mine' }),
  'kid of a path': () => mine({ kid: '../../../../../../dev/null' }),
  'kid of SQL': () => mine({ kid: "' union select 'x' --" }),
  'kid of an address': () => mine({ kid: `${evilOrigin}/jwks` }),
  'crit unknown': () => theirs({}, { crit: ['urn:x'], 'urn:x': true }),
  'typ JWT': () => theirs({}, { typ: 'JWT' }),
  'typ missing': () => theirs({}, { typ: undefined }),
  'typ dpop+jwt': () => theirs({}, { typ: 'dpop+jwt' }),
  'another audience': () => theirs({ aud: 'https://another.example' }),
  'no audience': () => theirs({ aud: undefined }),
  'audience by prefix': () => theirs({ aud: 'resource-server.evil.example' }),
  'another issuer': () => theirs({ iss: 'https://another.example' }),
  'issuer by prefix': () => theirs({ iss: `${ORIGIN}.evil.example` }),
  'no issuer': () => theirs({ iss: undefined }),
  'no expiry': () => theirs({ exp: undefined }),
  'expiry as a text': () => theirs({ exp: '99999999999' }),
  expired: () => theirs({ exp: now - 60 }),
  'not valid yet': () => theirs({ nbf: now + 3_600 }),
  'not before as a text': () => theirs({ nbf: 'soon' }),
  'no subject': () => theirs({ sub: undefined }),
  'other claims under the old signature': () => {
    const [head, , signature] = genuine.split('.');
    return `${head}.${part({ ...claims, sub: 'administrator' })}.${signature}`;
  },
  'another header under the old signature': () => {
    const [, body, signature] = genuine.split('.');
    return `${part({ ...header, typ: 'at+jwt', x: 1 })}.${body}.${signature}`;
  },
  'a signature of zeros (psychic)': () =>
    `${genuine.split('.', 2).join('.')}.${Buffer.alloc(64).toString('base64url')}`,
  'four parts': () => `${genuine}.x`,
};

describe('forged access tokens', () => {
  test('a genuine one is accepted, and so is one that was made here in the same way', async () => {
    expect((await lab.data(genuine)).status).toBe(200);
    expect((await lab.data(await theirs({}))).status).toBe(200);
    expect(Object.keys(FORGED).length).toBeGreaterThanOrEqual(25);
  });

  test.each(Object.keys(FORGED))('%s', async (name) => {
    const token = (await FORGED[name]?.()) ?? '';
    const answer = await lab.data(token);
    expect(answer.status).toBe(401);
    expect((await answer.json()).error).toBe('invalid_token');
    expect(asked).toBe(0);
  });
});
