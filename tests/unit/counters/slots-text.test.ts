import fc from 'fast-check';
import { expect, it } from 'vitest';
import { slotsText } from '@/lib/counters/slots-text';
import { slidingFromHits, slidingHits } from '@/lib/limiter/sliding-counter';

const slots = fc.array(fc.oneof(fc.nat(9), fc.nat(70_000), fc.maxSafeNat()), { minLength: 1, maxLength: 230 });

it('keeps every number of hits', () => {
  fc.assert(
    fc.property(slots, (hits) => {
      expect(slidingHits(slidingFromHits(100, hits))).toEqual(hits);
    }),
  );
});

it('writes hits as JSON does, each time that it is asked', () => {
  fc.assert(
    fc.property(slots, (hits) => {
      const counter = slidingFromHits(100, hits);
      for (let times = 0; times < 3; times += 1) expect(`[${slotsText(counter)}]`).toBe(JSON.stringify([100, ...hits]));
    }),
  );
});
