import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '@/lib/config/config';
import { isHost } from '@/lib/http/header-fields';
import { requestOrigin, requireHost } from '@/lib/http/request-origin';

const good = [
  'a',
  'a.example',
  'A.Example.',
  'a_b',
  '127.0.0.1',
  'a:80',
  'a:',
  '[::1]',
  '[::1]:8080',
  'xn--bcher-kva.de',
];
const bad = ['', 'a?', 'a#', 'a/', 'a\\', 'u@h', 'u:p@h', 'a b', 'a,b', 'a, b', ' a', 'a ', 'a%41', "a'b", 'é', ':80']
  .concat(['a:b', 'a:1:2', 'a:99999', 'a:-1', '[::1', '::1', '[::g]', '[v1.a]', '[fe80::1%25eth0]', '[]', 'http://a'])
  .concat(['a'.repeat(256), '1.2.3.4.5', 'a\n']);

describe('a host', () => {
  it.each(good)('%s is one', (host) => expect(isHost(host)).toBe(true));
  it.each(bad)('%j is none', (host) => expect(isHost(host)).toBe(false));

  it('is what it was, whatever was asked before', () => {
    for (const host of [...good, ...good, ...bad, ...good]) expect(isHost(host)).toBe(good.includes(host));
  });

  it('never changes what stands behind it in an address', () => {
    const text = fc.stringMatching(/^[a-z0-9.:[\]@?#/\\%,; ~_-]{1,12}$/);
    fc.assert(
      fc.property(text, (host) => {
        if (!isHost(host)) return;
        const url = new URL(`http://${host}/auth/login?x=1`);
        expect([url.pathname, url.search, url.hash, url.username]).toEqual(['/auth/login', '?x=1', '', '']);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the origin of a request', () => {
  const NONCE = 'nonce-of-this-process';
  const behind = parseConfig({ SLUICE_TRUSTED_PROXIES: '10.0.0.0/8' }, NONCE);
  const origin = (headers: Record<string, string>) =>
    requestOrigin(
      {
        method: 'GET',
        url: 'http://localhost/',
        headers: new Headers({ 'x-sluice-peer': `${NONCE} 10.0.0.1`, ...headers }),
      },
      behind,
    );

  it('is of the host that a trusted proxy names, when it is one', () => {
    expect(origin({ host: 'a:80', 'x-forwarded-host': 'b.example', 'x-forwarded-proto': 'https' })).toBe(
      'https://b.example',
    );
    expect(origin({ host: 'a:81', 'x-forwarded-host': 'b?' })).toBe('http://a:81');
    expect(origin({ host: 'a', 'x-forwarded-host': 'u:p@b' })).toBe('http://a');
    expect(origin({ host: 'a?', 'x-forwarded-host': 'b/' })).toBe('http://localhost');
  });

  it('is refused where the host is none', () => {
    expect(() => requireHost(new Headers({ host: 'a' }))).not.toThrow();
    expect(() => requireHost(new Headers())).not.toThrow();
    for (const host of ['a?', 'u:p@h', 'a,b']) expect(() => requireHost(new Headers({ host }))).toThrow('not a host');
  });
});
