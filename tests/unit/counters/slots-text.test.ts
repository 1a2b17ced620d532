import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatSlots, readSlotsList } from '@/lib/counters/slots-text';
import { createSliding, EMPTY_SLIDING, listHits } from '@/lib/limiter/sliding-counter';

const few = fc.array(fc.oneof(fc.nat(9), fc.nat(130), fc.nat(8_300), fc.nat(753_600)), { minLength: 1, maxLength: 61 });
const many = fc.array(fc.oneof(fc.nat(9), fc.nat(70_000), fc.maxSafeNat()), { minLength: 1, maxLength: 61 });

it('keeps every number of hits', () => {
  fc.assert(
    fc.property(fc.oneof(few, many), (hits) => {
      const counter = createSliding(100, hits);
      expect(listHits(counter)).toEqual(hits);
      expect(readSlotsList(JSON.parse(`[${formatSlots(counter)}]`))).toEqual(counter);
    }),
  );
});

it('reads slots that were written as numbers, as before', () => {
  expect(readSlotsList([100, 7, 0, 2])).toEqual(createSliding(100, [7, 0, 2]));
  expect(readSlotsList([100, 7])).toEqual(createSliding(100, [7]));
});

it.each([
  [],
  [100],
  ['100', 1],
  [100, -1],
  [100, 1.5],
  [100, 1, 'a b'],
  [100, 1, ''],
  [100, 1, '#'],
  [100, 1, '4####'],
  [100, 1, '1#\\'],
  [100, 1, '1"'],
  [100, 1, 1, '1#'],
  [100, 1, null],
])('counts nothing where it reads %j', (...list) => {
  expect(readSlotsList(list)).toBe(EMPTY_SLIDING);
});
