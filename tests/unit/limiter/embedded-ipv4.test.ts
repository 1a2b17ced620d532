import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddressSubject, isWithin, parseAddress, parseRange } from '@/lib/limiter/address';

const EVERYWHERE = [
  ['IPv4-mapped', '::ffff:203.0.113.50', '::ffff:cb00:7132'],
  ['IPv4-translated', '::ffff:0:203.0.113.50', '::ffff:0:cb00:7132'],
  ['IPv4-compatible', '::203.0.113.50', '::cb00:7132'],
  ['NAT64', '64:ff9b::203.0.113.50', '64:FF9B:0:0:0:0:CB00:7132'],
  ['NAT64 for local use', '64:ff9b:1::203.0.113.50', '64:ff9b:1:0:0:0:cb00:7132'],
  ['NAT64 for local use, another network', '64:ff9b:1:fffe::203.0.113.50', '64:ff9b:1:fffe::cb00:7132'],
  ['6to4', '2002:cb00:7132::1', '2002:cb00:7132:ffff:1:2:3:4'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:34ff:8ecd', '2001:0:1:2:3:4:34ff:8ecd'],
] as const;

describe.each(EVERYWHERE)('%s', (_, ...spellings) => {
  it('is counted as the IPv4 address', () => {
    for (const text of spellings) {
      expect(parseAddress(text)).toEqual(parseAddress('203.0.113.50'));
      expect(formatAddressSubject(parseAddress(text)!)).toBe('203.0.113.50');
      expect(parseRange(text)).toEqual(parseRange('203.0.113.50'));
      expect(parseRange(`${text}/128`)).toEqual(parseRange('203.0.113.50'));
    }
  });
});

describe('a range', () => {
  it.each([
    ['64:ff9b::203.0.113.0/120', '203.0.113.0/24'],
    ['64:ff9b::203.0.113.77/120', '203.0.113.0/24'],
    ['64:ff9b:1::10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['::ffff:203.0.113.0/112', '203.0.0.0/16'],
    ['2002:cb00:7100::/40', '203.0.113.0/24'],
    ['2002:cb00:7132::/48', '203.0.113.50'],
    ['2002:cb00:7132:7::/64', '203.0.113.50'],
    ['2001:0:4136:e378:8000:63bf:34ff:8e00/120', '203.0.113.0/24'],
    // Every IPv4 address is not what these mean.
    ['2002::/16', '2002::/16'],
    ['2002:c000::/20', '2002:c000::/20'],
    ['64:ff9b::/96', '64:ff9b::/96'],
    ['64:ff9b:1::/48', '64:ff9b:1::/48'],
    ['2001::/32', '2001::/32'],
    ['::/0', '::/0'],
    ['2000::/3', '2000::/3'],
    ['::/96', '::/96'],
  ])('%s is %s', (text, canonical) => {
    expect(parseRange(text)?.text).toBe(canonical);
    expect(parseRange(canonical)).toEqual(parseRange(text));
  });

  it('of IPv4 holds an embedded address where it holds the address', () => {
    const prefixes = fc.constantFrom('::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::');
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 8, max: 32 }), prefixes, (one, other, length, prefix) => {
        const address = parseAddress(one);
        const range = parseRange(`${other}/${length}`);
        fc.pre(address !== null && range !== null && !/^(?:0|127)\./.test(one) && !/^(?:0|127)\./.test(other));
        const embedded = parseAddress(prefix + one);
        expect(embedded).toEqual(address);
        expect(isWithin(embedded!, parseRange(`${prefix}${other}/${length + 96}`)!)).toBe(isWithin(address, range));
      }),
    );
  });
});

it.each([
  ['::1', '::1'],
  ['::2', '::2'],
  ['64:ff9b::', '64:ff9b::'],
  ['64:ff9b::127.0.0.1', '64:ff9b::7f00:1'],
  ['64:ff9b:2::203.0.113.50', '64:ff9b:2::cb00:7132'],
  // Of RFC 6052 section 2.2 with another prefix length: the address is elsewhere.
  ['64:ff9b:1:cb00:71:3200::', '64:ff9b:1:cb00:71:3200::'],
  ['2002:a00:1::1', '2002:a00:1::1'],
  ['2002:7f00:1::1', '2002:7f00:1::1'],
  ['2002:c0a8:1::1', '2002:c0a8:1::1'],
  ['2002:e000:1::1', '2002:e000:1::1'],
  ['2001:0:1:2:3:4:f5ff:fffe', '2001:0:1:2:3:4:f5ff:fffe'],
  ['2001:db8::cb00:7132', '2001:db8::cb00:7132'],
  ['2001:1::cb00:7132', '2001:1::cb00:7132'],
  // ISATAP (RFC 5214): the network is an ordinary one.
  ['2001:db8::5efe:203.0.113.50', '2001:db8::5efe:cb00:7132'],
])('%s embeds nothing', (text, canonical) => {
  expect(parseAddress(text)?.text).toBe(canonical);
  expect(parseRange(text)?.text).toBe(canonical);
});
