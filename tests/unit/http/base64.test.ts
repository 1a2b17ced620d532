import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueDeviceCookie, readDeviceCookie } from '@/lib/auth/device-cookie';
import { deriveKey, seal, unseal } from '@/lib/auth/sealed';
import { decodeBase64, decodeBase64url, hasCanonicalSegments } from '@/lib/http/base64';
import { decodeCursor, encodeCursor } from '@/lib/http/paged-response';
import { respell } from '@/tests/fixtures/respell';

const bytes = fc.uint8Array({ maxLength: 80 });

describe('a decoder', () => {
  it('reads what was encoded, and no other text as the same bytes', () => {
    fc.assert(
      fc.property(bytes, fc.string(), (value, text) => {
        const url = Buffer.from(value).toString('base64url');
        const padded = Buffer.from(value).toString('base64');
        expect(decodeBase64url(url)?.equals(value)).toBe(true);
        expect(decodeBase64(padded)?.equals(value)).toBe(true);
        for (const spelling of [...respell(url), text]) {
          const read = decodeBase64url(spelling);
          if (spelling !== url) expect(read === null || !read.equals(value)).toBe(true);
        }
      }),
    );
  });
});

const authSecret = 'secret-of-the-test-0123456789-0123456789';
const place = { key: deriveKey(authSecret, 'test'), place: 'row' };
const now = Date.UTC(2026, 10, 26);
const device = { authSecret, clock: () => now, randomBytes: (size: number) => randomBytes(size) };
const Position = z.tuple([z.int(), z.string()]);

/** Each value that the product gives away and takes back: how it is made, and whether a text is taken for it. */
const VALUES: [string, () => string, (text: string) => boolean][] = [
  ['sealed text', () => seal('text', place, randomBytes), (text) => opens(() => unseal(text, place))],
  ['a cursor', () => encodeCursor([1_234_567, 'é?>']), (text) => opens(() => decodeCursor(Position, text))],
  [
    'a device cookie',
    () => issueDeviceCookie('a@example.com', device),
    (text) => readDeviceCookie(text, 'a@example.com', { authSecret, now }) !== null,
  ],
];

function opens(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

describe.each(VALUES)('%s', (_, make, accepts) => {
  it('is accepted as it was given, and in no other spelling', () => {
    for (let round = 0; round < 40; round += 1) {
      const value = make();
      expect(accepts(value)).toBe(true);
      expect(respell(value).filter(accepts)).toEqual([]);
    }
  });
});

it('a compact token has canonical segments', () => {
  const part = (size: number) => randomBytes(size).toString('base64url');
  expect(hasCanonicalSegments(`${part(30)}.${part(31)}.${part(32)}`)).toBe(true);
  for (const wrong of ['!', '=', ' ', '+', '/', 'A'])
    expect(hasCanonicalSegments(`${part(30)}.${part(30)}.${part(30)}${wrong}`)).toBe(false);
});

it('a cursor is the JSON that was encoded, without spaces', () => {
  const spaced = Buffer.from('[ 1, "a" ]').toString('base64url');
  expect(() => decodeCursor(Position, spaced)).toThrow();
});
