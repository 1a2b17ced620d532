import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/json';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { BEST_PRACTICE } from '@/lib/oauth/token/best-practice-rules';
import { guessSecret } from '@/lib/oauth/token/guess-secret';
import { detectTokenUse, judgeToken } from '@/lib/oauth/token/judge-token';
import { ACCESS_TOKEN, DPOP_PROOF, ID_TOKEN, LOGOUT_TOKEN } from '@/lib/oauth/token/profile-rules';
import { readToken, type SignedToken } from '@/lib/oauth/token/read-token';
import { SPELLING } from '@/lib/oauth/token/spelling-rules';
import type { JudgedToken } from '@/lib/oauth/token/token-rule';
import type { SignatureFinding } from '@/lib/oauth/token/verify-signature';

const NOW = 1_800_000_000;
const ISSUER = 'https://issuer.example';
const part = (value: JsonObject | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

function read(token: string): SignedToken {
  const reading = readToken(token);
  if (reading.kind !== 'signed') throw new Error(`It is ${reading.kind}.`);
  return reading;
}
const tokenOf = (header: JsonObject, claims: JsonObject) => `${part(header)}.${part(claims)}.c2lnbg`;

const verified: SignatureFinding = {
  state: 'verified',
  reason: 'It holds.',
  choice: null,
  warnings: [],
  weakness: null,
};

/** The verdicts of the rules with a title. */
function verdictsOf(token: string, title: string, more: Partial<JudgedToken> = {}): VerdictKind[] {
  const expected = { issuer: ISSUER, audience: 'api', now: NOW * 1000, tolerance: 5 };
  const judged = { reading: read(token), signature: verified, guessedSecret: null, ...expected, ...more };
  return judgeToken(judged)
    .filter((judgement) => judgement.title === title)
    .map(({ verdict }) => verdict.kind);
}

const HEADER = { alg: 'ES256', typ: 'at+jwt', kid: 'key-1' };
const ACCESS = {
  ...{ iss: ISSUER, sub: 'ann', aud: 'api', client_id: 'app', scope: 'read write', jti: '1' },
  ...{ iat: NOW - 10, exp: NOW + 600, nbf: NOW - 10, acr: '1', cnf: { jkt: 'x' } },
};
const ID = {
  ...{ iss: ISSUER, sub: 'ann', aud: ['api', 'app'], azp: 'app', nonce: 'n' },
  ...{ iat: NOW - 10, exp: NOW + 600 },
};
const PROOF_HEADER = { alg: 'ES256', typ: 'dpop+jwt', jwk: { kty: 'EC', x: 'x' } };
const PROOF = { jti: '1', htm: 'POST', htu: `${ISSUER}/token`, iat: NOW };

const LOGOUT = {
  ...{ iss: ISSUER, aud: 'api', iat: NOW - 10, exp: NOW + 110, jti: '1', sid: 's' },
  events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
};

const access = tokenOf(HEADER, ACCESS);
const id = tokenOf({ ...HEADER, typ: 'JWT' }, ID);
const proof = tokenOf(PROOF_HEADER, PROOF);
const logout = tokenOf({ alg: 'ES256', typ: 'logout+jwt' }, LOGOUT);
const withLogout = (changes: JsonObject) => tokenOf({ alg: 'ES256', typ: 'logout+jwt' }, { ...LOGOUT, ...changes });
const withHeader = (changes: JsonObject) => tokenOf({ ...HEADER, crit: undefined, ...changes }, ACCESS);
const withClaims = (changes: JsonObject) => tokenOf(HEADER, { ...ACCESS, ...changes });

/** For each rule: a token that passes it, one that fails it, and what else is known of the failing one. */
const CASES: Record<string, [good: string, bad: string, badWith?: Partial<JudgedToken>]> = {
  'Base64url has one spelling': [access, `${access}=`],
  'Member names are unique': [access, `${part(HEADER)}.${part('{"aud":"api","aud":"other"}')}.c2lnbg`],
  'Critical extensions are named correctly': [withHeader({ crit: ['ext'], ext: 1 }), withHeader({ crit: ['ext'] })],
  'The algorithm is one that exists': [access, withHeader({ alg: 'es256' })],
  'The algorithm is sound': [access, withHeader({ alg: 'none' })],
  'The signature holds': [access, access, { signature: { ...verified, state: 'invalid', reason: 'It does not.' } }],
  'The key is strong enough': [access, withHeader({ alg: 'HS256' }), { guessedSecret: 'secret' }],
  'Nothing is compressed': [access, withHeader({ zip: 'DEF' })],
  'The JSON is UTF-8': [access, `${part(HEADER)}._w.c2lnbg`],
  'The issuer is named and expected': [access, withClaims({ iss: 'https://attacker.example' })],
  'The subject is named': [access, withClaims({ sub: 7 })],
  'The audience is named and expected': [access, withClaims({ aud: 'other' })],
  'The key id is harmless': [access, withHeader({ kid: '../../../dev/null' })],
  'It does not bring its own key': [access, withHeader({ jwk: { kty: 'EC' } })],
  'It does not send the verifier anywhere': [access, withHeader({ jku: 'https://attacker.example/jwks' })],
  'The type is explicit': [access, withHeader({ typ: 'JWT' })],
  'It cannot be taken for another kind': [access, withClaims({ nonce: 'n' })],
  'It has not expired': [access, withClaims({ exp: NOW - 6 })],
  'It is valid already': [access, withClaims({ nbf: NOW + 60 })],
  'The type is at+jwt': [access, withHeader({ typ: undefined })],
  'It is signed with a key pair': [access, withHeader({ alg: 'HS256' })],
  'The required claims are present': [access, withClaims({ jti: undefined })],
  'The required claims have the right form': [access, withClaims({ exp: '2030-01-01' })],
  'Authentication claims have the right form': [access, withClaims({ auth_time: 'now' })],
  'The scope is a text with spaces': [access, withClaims({ scope: ['read', 'write'] })],
  'It is bound to a key of the client': [access, withClaims({ cnf: undefined })],
  'The issuer is an address': [id, tokenOf({ alg: 'ES256' }, { ...ID, iss: 'http://issuer.example' })],
  'The subject fits': [id, tokenOf({ alg: 'ES256' }, { ...ID, sub: 'x'.repeat(256) })],
  'Other claims have the right form': [id, tokenOf({ alg: 'ES256' }, { ...ID, amr: 'pwd' })],
  'Of several audiences, one is the authorized party': [id, tokenOf({ alg: 'ES256' }, { ...ID, azp: 'evil' })],
  'The header carries the public key': [
    proof,
    tokenOf({ ...PROOF_HEADER, jwk: { ...PROOF_HEADER.jwk, d: 'private' } }, PROOF),
  ],
  'The type is logout+jwt': [logout, tokenOf({ alg: 'ES256' }, LOGOUT)],
  'It names a user or a session': [logout, withLogout({ sid: undefined })],
  'The event is a logout': [logout, withLogout({ events: [] })],
  'There is no nonce': [logout, withLogout({ nonce: 'n' })],
};

describe('rules of RFC 8725, RFC 9068, RFC 9449 and OpenID Connect', () => {
  test.each(Object.entries(CASES))('%s', (title, [good, bad, more]) => {
    expect(verdictsOf(good, title)).toContain('passed');
    expect(verdictsOf(good, title)).not.toContain('failed');
    expect(verdictsOf(bad, title, more)).toContain('failed');
  });

  test('each rule has such a pair', () => {
    const titles = [...SPELLING, ...BEST_PRACTICE, ...ACCESS_TOKEN, ...ID_TOKEN, ...DPOP_PROOF, ...LOGOUT_TOKEN].map(
      ({ title }) => title,
    );
    expect(Object.keys(CASES).toSorted()).toEqual([...new Set(titles)].toSorted());
  });

  test('required claims of an ID token and of a DPoP proof', () => {
    const title = 'The required claims are present';
    expect([verdictsOf(id, title), verdictsOf(proof, title)]).toEqual([['passed'], ['passed']]);
    expect(verdictsOf(tokenOf({ alg: 'ES256' }, { ...ID, iat: undefined }), title)).toEqual(['failed']);
    expect(verdictsOf(tokenOf(PROOF_HEADER, { ...PROOF, htu: undefined }), title)).toEqual(['failed']);
  });

  test('a sound access token, ID token, proof and logout token fail nothing that is required', () => {
    for (const token of [access, id, proof, logout]) {
      const judged = { reading: read(token), signature: verified, guessedSecret: null };
      const judgements = judgeToken({ ...judged, issuer: ISSUER, audience: 'api', now: NOW * 1000, tolerance: 5 });
      expect(judgements.filter(({ advice, verdict }) => !advice && verdict.kind === 'failed')).toEqual([]);
    }
  });

  test('what was not said is undecided, not passed', () => {
    const none = { issuer: '', audience: '', signature: null };
    expect(verdictsOf(access, 'The issuer is named and expected', none)).toEqual(['inconclusive']);
    expect(verdictsOf(access, 'The audience is named and expected', none)).toEqual(['inconclusive']);
    expect(verdictsOf(access, 'The signature holds', none)).toEqual(['inconclusive']);
    expect(verdictsOf(withHeader({ kid: undefined }), 'The key id is harmless')).toEqual(['not_applicable']);
    // A thumbprint of a key in base64url may have two hyphens beside each other; a comment of SQL stands apart.
    const thumbprint = 'Xq0--mX_2c--Yk1wVQ7bJ4v0sZpLkTnR3uHfGdSaE--';
    expect(verdictsOf(withHeader({ kid: thumbprint }), 'The key id is harmless')).toEqual(['passed']);
    expect(verdictsOf(withHeader({ kid: 'key1 -- ' }), 'The key id is harmless')).toEqual(['failed']);
  });
});

test('what a token is', () => {
  expect([access, id, proof].map((token) => detectTokenUse(read(token)))).toEqual([
    'access token',
    'ID token',
    'DPoP proof',
  ]);
  expect(detectTokenUse(read(tokenOf({ alg: 'ES256', typ: 'logout+jwt' }, ID)))).toBe('logout token');
  expect(detectTokenUse(read(tokenOf({ alg: 'ES256' }, { ...LOGOUT, nonce: 'n' })))).toBe('logout token');
  expect(detectTokenUse(read(tokenOf({ alg: 'ES256', typ: 'secevent+jwt' }, ID)))).toBe('JWT');
  expect(detectTokenUse(read(tokenOf({ alg: 'ES256' }, { sub: 'ann' })))).toBe('JWT');
  expect(detectTokenUse(read(tokenOf({ alg: 'RS256', typ: 'application/at+jwt' }, {})))).toBe('access token');
});

test('the secret of the best known example is guessed, another is not', async () => {
  const { SignJWT } = await import('jose');
  const signedWith = async (secret: string) =>
    read(await new SignJWT({ sub: '1' }).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret)));
  expect(await guessSecret(await signedWith('your-256-bit-secret'))).toBe('your-256-bit-secret');
  expect(await guessSecret(await signedWith('keyboard cat'))).toBe('keyboard cat');
  expect(await guessSecret(await signedWith('fgM3hS2n0q7rT5vW8yB1dE4gH6jK9lN0'))).toBeNull();
  expect(await guessSecret(read(access))).toBeNull();
});
