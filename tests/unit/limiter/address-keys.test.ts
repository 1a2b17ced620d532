import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress, toSubject } from '@/lib/limiter/address';
import { AddressKeys } from '@/lib/limiter/address-keys';
import { type CounterScope, counterKey } from '@/lib/limiter/counter-key';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const read = (text: string) => parseAddress(text) ?? expect.fail(text);
const written = (text: string, scope: CounterScope, seconds: number) =>
  counterKey('ip', toSubject(read(text)), scope, { kind: 'sliding', seconds });

describe('the keys of addresses', () => {
  const keys = new AddressKeys();

  it('are those that are written anew, in whatever order addresses come and come back', () => {
    // Some are alike but for their family, their window or their class.
    const texts = fc.oneof(
      fc.constantFrom('203.0.113.9', 'cb00:7109::', 'cb00:7109::1', '::ffff:203.0.113.9', 'cb00:7109:0:1::'),
      fc.ipV4().filter((text) => text !== '0.0.0.0'),
      fc.ipV6().filter((text) => parseAddress(text) !== null),
    );
    const scopes = fc.constantFrom<CounterScope>(...ENDPOINT_CLASSES, 'all');
    const asked = fc.tuple(texts, scopes, fc.constantFrom(1, 60, 3_600, 86_400));
    fc.assert(
      fc.property(fc.array(asked, { minLength: 1, maxLength: 8 }), (all) => {
        for (const [text, scope, seconds] of [...all, ...all, ...all])
          expect(keys.findKey(read(text), scope, seconds)).toBe(written(text, scope, seconds));
      }),
    );
  });

  it.each([
    ['addresses', (i: number) => [`10.${i >> 14}.${(i >> 7) & 127}.${i & 127}`, 60] as const],
    ['networks of one provider', (i: number) => [`2001:db8:${i.toString(16)}::1`, 60] as const],
    ['windows of one address', (i: number) => ['203.0.113.9', 1 + i] as const],
  ])('are right for more %s than there are places', (_, nth) => {
    for (let time = 0; time < 3; time += 1) {
      for (let i = 0; i < 20_000; i += 1) {
        const [text, seconds] = nth(i);
        const address = read(text);
        // Twice, so that each takes the place of the one before it.
        keys.findKey(address, 'read', seconds);
        const key = keys.findKey(address, 'read', seconds);
        if (key !== written(text, 'read', seconds)) expect.fail(`${text} for ${seconds} s is ${key}`);
      }
    }
  });
});
