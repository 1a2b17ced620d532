import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hitsText, packed, unpacked } from '@/lib/counters/embedded/packed-hits';

const hits = fc.array(fc.oneof(fc.nat(9), fc.nat(70_000), fc.maxSafeNat()), { maxLength: 200 });

it('keeps every number of hits', () => {
  fc.assert(
    fc.property(hits, (counts) => {
      expect(unpacked(packed(counts))).toEqual(counts);
    }),
  );
});

it('writes hits as JSON does', () => {
  fc.assert(
    fc.property(hits, (counts) => {
      expect(`[${hitsText(counts)}]`).toBe(JSON.stringify(counts));
    }),
  );
});
