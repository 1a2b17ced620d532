import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOrderedId, createRandomUuid } from '@/lib/admin/new-row';

const random = (size: number) => randomBytes(size);
const time = fc.integer({ min: 0, max: 2 ** 45 });
const revision = fc.integer({ min: 1, max: 2 ** 36 - 1 });

test('ids are ordered by time, then by revision', () => {
  fc.assert(
    fc.property(time, revision, time, revision, (t1, r1, t2, r2) => {
      const [first, second] = [createOrderedId(t1, r1, random), createOrderedId(t2, r2, random)];
      if (t1 !== t2) expect(first < second).toBe(t1 < t2);
      else if (r1 !== r2) expect(first < second).toBe(r1 < r2);
    }),
    { numRuns: 2_000 },
  );
});

test('ids of one millisecond are ordered by revision', () => {
  fc.assert(
    fc.property(time, revision, revision, (now, r1, r2) => {
      fc.pre(r1 !== r2);
      expect(createOrderedId(now, r1, random) < createOrderedId(now, r2, random)).toBe(r1 < r2);
    }),
  );
});

test('ids are UUIDs of version 7, and random ones of version 4', () => {
  const id = createOrderedId(Date.UTC(2026, 10, 20), 7, random);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(Date.UTC(2026, 10, 20));
  expect(createRandomUuid(random)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(createOrderedId(1, 1, random)).not.toBe(createOrderedId(1, 1, random));
});
