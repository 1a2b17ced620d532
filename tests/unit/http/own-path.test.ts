import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseOwnPath } from '@/lib/http/own-path';

const ORIGINS = ['http://sluice.example', 'https://sluice.example:8443'];

/** Where browsers go from a page of each origin. */
function expectOwn(target: string, from: string): void {
  expect(target, from).toMatch(/^\/[\x21-\x7e]*$/);
  for (const origin of ORIGINS) {
    const reached = new URL(target, `${origin}/sign-in`);
    expect(reached.origin, from).toBe(origin);
    // Parsed again it is the same.
    expect(reached.pathname + reached.search + reached.hash, from).toBe(target);
  }
}

const GAPS = ['', '\t', '\n', '\r', '\r\n', ' ', '\0', '\u00a0', '\u2028', '%09', '%0a', '%0d', '%00', '%2509', '%20'];
const SLASHES = [
  '/',
  '//',
  '///',
  '\\',
  '/\\',
  '\\/',
  '\\\\',
  '/%2f',
  '/%5c',
  '/%252f',
  '/./',
  '/.//',
  '/..//',
  '/%2e//',
];
const HOSTS = [
  ...[
    'evil.test',
    'evil.test:443',
    '@evil.test',
    'user:pw@evil.test',
    'own.invalid@evil.test',
    'own.invalid.evil.test',
  ],
  ...['evil。test', 'evil%E3%80%82test', '[::1]', '2130706433', 'xn--80ak6aa92e.test', 'ⓔvil.test', '/evil.test', ''],
];
const SCHEMES = [
  'http:',
  'https:',
  'javascript:',
  'JaVaScRiPt:',
  'java\tscript:',
  'data:',
  'blob:http:',
  'file:',
  'mailto:',
];

const SPELLINGS = [
  ...GAPS.flatMap((gap) =>
    SLASHES.flatMap((slashes) =>
      HOSTS.flatMap((host) => [`/${gap}${slashes}${host}`, `${gap}${slashes}${host}`, `${slashes}${gap}${host}`]),
    ),
  ),
  ...SCHEMES.flatMap((scheme) =>
    SLASHES.flatMap((slashes) => [
      `${scheme}${slashes}evil.test`,
      `/${scheme}${slashes}evil.test`,
      `${scheme}alert(1)`,
    ]),
  ),
  ...[
    '/keys?next=//evil.test#//evil.test',
    '/a/../..//evil.test',
    '/?\r\nSet-Cookie: a=b',
    '/é\r\nLocation: x',
    '/\ud800',
  ],
];

describe('a path to return to', () => {
  it(`is ours in ${SPELLINGS.length} spellings of other targets`, () => {
    for (const spelling of SPELLINGS) expectOwn(parseOwnPath(spelling), JSON.stringify(spelling));
  });

  it('is ours whatever it is made of', () => {
    const piece = fc.oneof(fc.constantFrom(...GAPS, ...SLASHES, ...HOSTS, ...SCHEMES, '..', '?', '#'), fc.string());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const text = pieces.join('');
        expectOwn(parseOwnPath(text), JSON.stringify(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is kept with its query', () => {
    for (const path of ['/', '/keys', '/keys?q=a%20b', '/keys?q=a+b&tier=free', '/limits/overrides?q=a#b', '/a%2Fb'])
      expect(parseOwnPath(path)).toBe(path);
    expect(parseOwnPath('/keys?q=é')).toBe('/keys?q=%C3%A9');
  });

  it('is the overview in place of nothing, several, and pages that lead elsewhere', () => {
    for (const none of [
      undefined,
      '',
      'keys',
      ['/keys', '//evil.test'],
      ['/keys'],
      '/sign-in',
      '/sign-in?callbackUrl=/',
    ])
      expect(parseOwnPath(none)).toBe('/');
    for (const page of ['/a/../sign-in', '/\tsign-in', '/sign-in/second-factor', '/invitation#token'])
      expect(parseOwnPath(page)).toBe('/');
  });
});
