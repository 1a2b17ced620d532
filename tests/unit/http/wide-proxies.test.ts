import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listWideProxies } from '@/lib/http/wide-proxies';

describe('the proxies that are trusted', () => {
  it.each([
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['0.0.0.0/1,128.0.0.0/1', '0.0.0.0/1 128.0.0.0/1'],
    ['128.0.0.0/1', '128.0.0.0/1'],
    ['8.0.0.0/7', '8.0.0.0/7'],
    // Half of it is private.
    ['10.0.0.0/7', '10.0.0.0/7'],
    ['8.0.0.0/8,9.0.0.0/8', '8.0.0.0/8 9.0.0.0/8'],
    ['8.0.0.0/9,8.128.0.0/9,20.0.0.0/24', '8.0.0.0/9 8.128.0.0/9 20.0.0.0/24'],
    ['127.0.0.1,0.0.0.0/0', '0.0.0.0/0'],
    ['::/0', '::/0'],
    ['0.0.0.0/0,::/0', '0.0.0.0/0 ::/0'],
    ['2000::/3', '2000::/3'],
    ['2a00::/12', '2a00::/12'],
    ['2600::/23', '2600::/23'],
    ['::/1,8000::/1', '::/1'],
  ])('%s: %s', (proxies, wide) => {
    expect(listWideProxies(proxies.split(',')).join(' ')).toBe(wide);
  });

  it.each([
    '',
    '127.0.0.1,::1',
    '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,169.254.0.0/16',
    '127.0.0.0/8,fc00::/7,fe80::/10',
    '224.0.0.0/3',
    '8.0.0.0/8',
    '8.0.0.0/9,8.128.0.0/9,8.1.0.0/16,8.8.8.8',
    '203.0.113.7,198.51.100.0/24,2001:db8::/32',
    // Cloudflare and CloudFront.
    '173.245.48.0/20,103.21.244.0/22,104.16.0.0/13,104.24.0.0/14,172.64.0.0/13,131.0.72.0/22,2a06:98c0::/29,2606:4700::/32',
    '2600:9000::/28,2400:cb00::/32',
    'nonsense',
  ])('%s is no reason for a warning', (proxies) => {
    expect(listWideProxies(proxies.split(','))).toEqual([]);
  });

  it('are judged the same however they are split', () => {
    const split = (base: number, length: number, depth: number): string[] =>
      depth === 0
        ? [`${base >>> 24}.${(base >>> 16) & 255}.${(base >>> 8) & 255}.${base & 255}/${length}`]
        : [split(base, length + 1, depth - 1), split(base + 2 ** (31 - length), length + 1, depth - 1)].flat();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 8 }), (length, depth) => {
        expect(listWideProxies(split(0, length, depth)).length).toBeGreaterThan(0);
      }),
    );
  });
});
