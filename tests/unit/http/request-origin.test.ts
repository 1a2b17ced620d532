import { describe, expect, it } from 'vitest';
import { listOwnOrigins } from '@/lib/auth/same-origin';
import { parseConfig } from '@/lib/config/config';
import { requestOrigin } from '@/lib/http/request-origin';

const config = parseConfig({});
const originOf = (host: string) =>
  requestOrigin({ method: 'GET', url: 'http://listening.example/', headers: new Headers({ host }) }, config);

describe('the origin that a request names in Host', () => {
  it.each(['sluice.example', 'sluice.example:8443', '192.0.2.1', '[2001:db8::1]:3000', 'a-b.example'])('%s', (host) => {
    expect(originOf(host)).toBe(`http://${host}`);
  });

  it.each([
    'user@sluice.example',
    'sluice.example/path',
    'sluice.example?x',
    'sluice.example#x',
    'sluice example',
    'a.example, b.example',
    'a_b:x',
    'a.example:123456',
    '[not-an-address]',
  ])('is not read from %j, which is no host', (host) => {
    expect(originOf(host)).toBe('http://listening.example');
  });
});

it('parses the trusted proxies once for all requests', () => {
  let reads = 0;
  const counted = {
    SLUICE_PUBLIC_URL: 'https://sluice.example',
    VERCEL: false,
    peerNonce: 'nonce',
    get SLUICE_TRUSTED_PROXIES() {
      reads += 1;
      return ['192.0.2.0/24'];
    },
  };
  const headers = new Headers({
    host: 'sluice.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'other.example',
    'x-sluice-peer': 'nonce 192.0.2.1',
  });
  for (let request = 0; request < 3; request += 1)
    expect(listOwnOrigins({ method: 'GET', url: 'http://listening.example/', headers }, counted)).toEqual([
      'https://sluice.example',
      'https://other.example',
    ]);
  expect(reads).toBe(1);
});
