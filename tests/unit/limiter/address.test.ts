import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { formatAddressSubject, isWithin, parseAddress, parseRange } from '@/lib/limiter/address';
import { buildCounterKey } from '@/lib/limiter/counter-key';

/** Twelve addresses, each in five spellings that all mean it. */
const SPELLINGS: Record<string, string[]> = {
  '10.0.0.1': ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:10.0.0.1', '::ffff:a00:1', '0:0:0:0:0:ffff:0a00:0001'],
  '127.0.0.1': ['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0::ffff:7f00:0001', '0:0:0:0:0:FFFF:127.0.0.1'],
  '203.0.113.255': [
    '203.0.113.255',
    '::ffff:203.0.113.255',
    '::ffff:cb00:71ff',
    '0000:0000:0000:0000:0000:ffff:cb00:71ff',
    '::FfFf:CB00:71FF',
  ],
  '255.255.255.255': [
    '255.255.255.255',
    '::ffff:255.255.255.255',
    '::ffff:ffff:ffff',
    '0:0:0:0:0:ffff:ffff:ffff',
    '::0:ffff:255.255.255.255',
  ],
  '::1': ['::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', '::0001', '::0.0.0.1'],
  '2001:db8::1': [
    '2001:db8::1',
    '2001:DB8::1',
    '2001:0db8:0000:0000:0000:0000:0000:0001',
    '2001:db8:0:0:0:0:0:1',
    '2001:db8::0.0.0.1',
  ],
  '2001:db8::1:0:0:1': [
    '2001:db8::1:0:0:1',
    '2001:db8:0:0:1:0:0:1',
    '2001:db8:0:0:1::1',
    '2001:0DB8:0:0:0001::1',
    '2001:db8:0:0:1::0.0.0.1',
  ],
  '2001:0:0:1::1': [
    '2001:0:0:1::1',
    '2001::1:0:0:0:1',
    '2001:0:0:1:0:0:0:1',
    '2001:0000:0000:0001::0001',
    '2001:0:0:1::0.0.0.1',
  ],
  'fe80::a:b:c:d': [
    'fe80::a:b:c:d',
    'FE80::A:B:C:D',
    'fe80:0:0:0:a:b:c:d',
    'fe80::000a:000b:000c:000d',
    'fe80::a:b:0.12.0.13',
  ],
  '192.0.2.33': [
    '64:ff9b::c000:221',
    '64:ff9b::192.0.2.33',
    '0064:ff9b::c000:0221',
    '64:FF9B:0:0:0:0:C000:221',
    '64:ff9b:0:0:0:0:192.0.2.33',
  ],
  '2001:db8:0:1:1:1:1:1': [
    '2001:db8:0:1:1:1:1:1',
    '2001:db8::1:1:1:1:1',
    '2001:0db8:0000:0001:0001:0001:0001:0001',
    '2001:DB8:0:1:1:1:1:1',
    '2001:db8:0:1:1:1:0.1.0.1',
  ],
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff': [
    'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    'FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF',
    'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255',
    'Ffff:fFff:ffFf:fffF:FFff:ffFF:fFFf:FffF',
    'FFFF:ffff:FFFF:ffff:FFFF:ffff:255.255.255.255',
  ],
};

describe('60 spellings of 12 addresses', () => {
  const all = Object.entries(SPELLINGS).flatMap(([canonical, texts]) => texts.map((text) => ({ text, canonical })));

  it.each(all)('$text is $canonical', ({ text, canonical }) => {
    expect(parseAddress(text)?.text).toBe(canonical);
    expect(parseRange(text)).toEqual({
      first: parseAddress(canonical),
      length: canonical.includes(':') ? 128 : 32,
      text: canonical,
    });
  });

  it('are counted under as many keys as there are networks', () => {
    expect(all).toHaveLength(60);
    const key = (text: string) =>
      buildCounterKey('ip', formatAddressSubject(parseAddress(text)!), 'read', { kind: 'sliding', seconds: 60 });
    const texts = new Set(all.map(({ text }) => parseAddress(text)?.text));
    expect(texts.size).toBe(12);
    for (const [canonical, spellings] of Object.entries(SPELLINGS)) {
      expect(new Set(spellings.map(key))).toEqual(new Set([key(canonical)]));
    }
    // 2001:db8::1 and 2001:db8::1:0:0:1 share their /64; the other ten addresses have one each.
    expect(new Set(all.map(({ text }) => key(text))).size).toBe(11);
  });
});

it('IPv6 is written as another implementation writes RFC 5952', () => {
  const group = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 0xffff }));
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const text = groups.map((group) => group.toString(16)).join(':');
      const address = parseAddress(text);
      fc.pre(address?.family === 6);
      expect(address.text).toBe(new ipaddr.IPv6(groups).toRFC5952String());
      expect(parseAddress(address.text)).toEqual(address);
    }),
    { numRuns: 5000 },
  );
});

it('IPv6 is read exactly where another implementation reads it', () => {
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(':', '::', '0', '1', 'ffff', 'ABC', '00a', '1.2.3.4') },
    fc.constantFrom(':::', '12345', 'g', '.', '01.2.3.4', '1.2.3', '1.2.3.256', ' ', '%1', '-1', '', '\n'),
  );
  const text = fc.oneof(
    fc.ipV6(),
    fc.array(piece, { maxLength: 17 }).map((pieces) => pieces.join('')),
    fc.array(piece, { minLength: 2, maxLength: 9 }).map((pieces) => pieces.join(':')),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      fc.pre(candidate.includes(':'));
      const unspecified = /^[0:.]*(ffff:[0:.]*)?$/i.test(candidate);
      if (!unspecified) expect(parseAddress(candidate) !== null).toBe(isIPv6(candidate) && !candidate.includes('%'));
    }),
    { numRuns: 20_000 },
  );
});

describe('what is no address', () => {
  it.each([
    '',
    ' ',
    '10.0.0',
    '10.0.0.0.1',
    '10.0.0.256',
    '10.0.0.01',
    '010.0.0.1',
    '00.0.0.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '127.1',
    '10.0.0.1.',
    '.10.0.0.1',
    '10..0.1',
    '+10.0.0.1',
    '-1.0.0.1',
    '1e1.0.0.1',
    ' 10.0.0.1',
    '10.0.0.1 ',
    '10.0.0.1\n',
    '10.0.0.1\0',
    '10.0.0.1:80',
    '１０.0.0.1',
    '①.0.0.1',
    '10。0。0。1',
    '0.0.0.0',
    '::',
    '0:0:0:0:0:0:0:0',
    '::ffff:0.0.0.0',
    '::ffff:0:0',
    '::1%eth0',
    'fe80::1%25eth0',
    '[::1]',
    '[::1]:80',
    '::1\n',
    ' ::1',
    ':1',
    '1:',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    'g::',
    '::ffff:10.0.0.01',
    '::ffff:10.0.0',
    '::10.0.0.1:1',
    '::ffff:0x0a.0.0.1',
    '1.2.3.4::',
    'localhost',
    'constructor',
    '*',
    '10.0.0.0/8',
    `${'0'.repeat(60)}::1`,
  ])('%j', (text) => {
    expect(parseAddress(text)).toBeNull();
  });
});

describe('a range', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3/31', '10.1.2.2/31'],
    ['10.1.2.3/32', '10.1.2.3'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['1.2.3.4/0', '0.0.0.0/0'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:10.1.2.3/128', '10.1.2.3'],
    ['::ffff:10.1.2.3/96', '0.0.0.0/0'],
    ['::ffff:10.1.2.3/95', '::fffe:0:0/95'],
    ['2001:DB8::1/64', '2001:db8::/64'],
    ['2001:db8:ffff:ffff::/33', '2001:db8:8000::/33'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['2001:db8::3/127', '2001:db8::2/127'],
    ['::/0', '::/0'],
    ['::1/0', '::/0'],
  ])('%s is %s', (text, canonical) => {
    const range = parseRange(text);
    expect(range?.text).toBe(canonical);
    expect(parseRange(canonical)).toEqual(range);
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8 ',
    '10.0.0.0/8/8',
    '10.0.0.0/1e1',
    '10.0.0.0/255.0.0.0',
    '10.0.0/8',
    '/8',
    '::/129',
    '::/064',
    '::1%eth0/64',
    '[::1]/64',
    '0.0.0.0',
    '0.0.0.0/32',
    '::/128',
    '::ffff:0.0.0.0/128',
    '10.0.0.0-10.0.0.9',
    '10.0.0.*',
  ])('is not %j', (text) => {
    expect(parseRange(text)).toBeNull();
  });

  it('holds the addresses whose first bits are its own', () => {
    const bits = (text: string) => parseAddress(text)!;
    fc.assert(
      fc.property(
        fc.ipV6(),
        fc.ipV6(),
        fc.integer({ min: 0, max: 128 }),
        fc.boolean(),
        (first, other, length, near) => {
          const a = parseAddress(first);
          const range = parseRange(`${first}/${length}`);
          const b = near ? a : parseAddress(other);
          fc.pre(
            a !== null && b !== null && range !== null && a.family === 6 && b.family === 6 && range.first.family === 6,
          );
          const value = ({ w0, w1, w2, w3 }: NonNullable<typeof a>) =>
            (BigInt(w0) << 96n) | (BigInt(w1) << 64n) | (BigInt(w2) << 32n) | BigInt(w3);
          const shift = BigInt(128 - length);
          expect(isWithin(b, range)).toBe(value(a) >> shift === value(b) >> shift);
        },
      ),
    );
    expect(isWithin(bits('10.0.0.1'), parseRange('::/0')!)).toBe(false);
    expect(isWithin(bits('::1'), parseRange('0.0.0.0/0')!)).toBe(false);
    expect(isWithin(bits('10.0.0.1'), parseRange('::ffff:10.0.0.1')!)).toBe(true);
  });
});

describe('the subject of an address', () => {
  it('is the /64 of an IPv6 address, and an IPv4 address itself', () => {
    const subjects = new Set<string>();
    for (let i = 1; i <= 10_000; i++) {
      subjects.add(
        formatAddressSubject(parseAddress(`2001:db8:1:2:${(i * 7919).toString(16).slice(-4)}::${i.toString(16)}`)!),
      );
    }
    expect(subjects).toEqual(new Set(['2001:db8:1:2::/64']));
    for (let i = 0; i < 10_000; i++) subjects.add(formatAddressSubject(parseAddress(`10.0.${i >> 8}.${i & 255}`)!));
    expect(subjects.size).toBe(10_001);
    expect(formatAddressSubject(parseAddress('::1')!)).toBe('::/64');
    expect(formatAddressSubject(parseAddress('::ffff:10.0.0.1')!)).toBe('10.0.0.1');
  });
});

describe('what only looks like another address', () => {
  it.each(['1.2.3.', '1.2.3', '.1.2.3', '1..2.3', '1.2.3.4.', '1.2.3.4.5'])('%s is no IPv4 address', (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  it.each(['1:2::ffff:a00:1', '0:0:1:2:0:ffff:a00:1', '1::ffff:a00:1'])(
    '%s is not an IPv4 address in disguise',
    (text) => {
      expect(parseAddress(text)).toMatchObject({ family: 6 });
    },
  );

  it('a range in the upper half of IPv4 is unsigned', () => {
    expect(parseRange('203.0.113.9/24')?.first.w0).toBe(203 * 2 ** 24 + 113 * 2 ** 8);
  });
});
