import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '@/lib/limiter/address';
import { readAddress } from '@/lib/limiter/written-address';
import { WRITTEN_ADDRESSES } from '../../fixtures/written-addresses';

describe('an address as others write it', () => {
  it.each(WRITTEN_ADDRESSES)('%s is %s', (written, address) => {
    expect(readAddress(written)?.text ?? null).toBe(address);
  });

  it('is read whatever stands around it', () => {
    const port = fc.option(fc.integer({ min: 0, max: 65_535 }), { nil: null });
    const zone = fc.constantFrom('', '%eth0', '%25lo', '%1');
    fc.assert(
      fc.property(fc.ipV6(), zone, port, (address, zone, port) => {
        const expected = parseAddress(address);
        expect(readAddress(`${address}${zone}`)).toEqual(expected);
        expect(readAddress(` [${address}${zone}]${port === null ? '' : `:${port}`}`)).toEqual(expected);
      }),
    );
    fc.assert(
      fc.property(fc.ipV4(), port, (address, port) => {
        expect(readAddress(`${address}${port === null ? '' : `:${port}`}`)).toEqual(parseAddress(address));
      }),
    );
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readAddress(text)));
  });
});
