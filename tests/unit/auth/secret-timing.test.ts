import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';

const seen = vi.hoisted(() => ({ compared: [] as number[][], verified: [] as string[] }));

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  const timingSafeEqual = (a: NodeJS.ArrayBufferView, b: NodeJS.ArrayBufferView) => {
    seen.compared.push([a.byteLength, b.byteLength]);
    return crypto.timingSafeEqual(a, b);
  };
  return { ...crypto, timingSafeEqual };
});
vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof import('@node-rs/argon2')>();
  const verify: typeof argon2.verify = (hashed, password) => {
    seen.verified.push(String(hashed));
    return argon2.verify(hashed, password);
  };
  return { ...argon2, verify };
});

// Loads the modules again with the observed functions. Later files load them without.
vi.resetModules();
const { verifyPassword } = await import('@/lib/auth/password');
const { digestSecret, isConfiguredSecret } = await import('@/lib/auth/secret-hash');
afterAll(() => {
  vi.resetModules();
});

beforeEach(() => {
  seen.compared.length = 0;
  seen.verified.length = 0;
});

// How long it takes is measured by `npm run bench -- secrets`.
describe('comparing a secret', () => {
  const known = 'k'.repeat(64);
  const isSame = (given: string) => isConfiguredSecret(digestSecret(given), known);
  const attempts = [
    '',
    'k',
    'k'.repeat(63),
    `${'k'.repeat(63)}x`,
    'k'.repeat(65),
    '\u{1F511}',
    '\uD800',
    'x'.repeat(10_000),
  ];

  it('never throws, whatever the lengths', () => {
    for (const given of attempts) expect(isSame(given)).toBe(false);
    expect(isSame(known)).toBe(true);
  });

  it('compares two digests, all of them and once, whatever the secret begins with', () => {
    for (const given of [...attempts, known]) isSame(given);
    expect(seen.compared).toEqual(Array(attempts.length + 1).fill([32, 32]));
  });
});

describe('checking a password', () => {
  const hash = '$argon2id$v=19$m=19456,t=2,p=1$EZFsA0hGgafEgijWBMX8Jg$5y6tXGQrUzZJccJMX05tKfMZr1OcObDJYkTWLXiyQ+4';

  it.each([
    ['an account', hash, 'wrong'],
    ['no account', null, 'wrong'],
    ['a password longer than any', hash, 'x'.repeat(2_000)],
  ])('does the same work for %s', async (_, passwordHash, password) => {
    expect(await verifyPassword(password, passwordHash)).toBe(false);
    expect(seen.verified.map((hash) => hash.split('$').slice(0, 4).join('$'))).toEqual([
      '$argon2id$v=19$m=19456,t=2,p=1',
    ]);
  });
});
