import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PackedWindow } from '@/lib/counters/embedded/packed/packed-shard';
import { PackedWindows } from '@/lib/counters/embedded/packed/packed-windows';
import { createSliding, listHits } from '@/lib/limiter/sliding-counter';

/** With a random one, one key in some 500,000 finds no place. */
const SEED = 1;

/** As many as meet in the same shard, and move each other. */
const key = fc.nat(3_000).map((number) => `ip|10.0.${number >> 8}.${number & 255}|read|60`);
const window = fc.record({
  newest: fc.oneof(fc.nat(), fc.integer({ min: 2 ** 31, max: 2 ** 45 })),
  hits: fc.array(fc.oneof(fc.nat(90), fc.nat(9_000), fc.maxSafeNat()), { minLength: 1, maxLength: 61 }),
  seconds: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  position: fc.maxSafeNat(),
});
type Plain = { newest: number; hits: number[]; seconds: number; position: number };

function packed({ newest, hits, seconds, position }: Plain): PackedWindow {
  return { ...createSliding(newest, hits), seconds, position };
}

function plain({ newest, latest, older, seconds, position }: PackedWindow): Plain {
  return { newest, hits: listHits({ kind: 'sliding', newest, latest, older }), seconds, position };
}

it('holds what a map would hold', () => {
  const step = fc.oneof(fc.record({ key, window }), fc.record({ key, window: fc.constant(null) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const windows = new PackedWindows(SEED);
      const expected = new Map<string, Plain>();
      for (const { key, window } of steps) {
        const place = windows.find(key);
        expect(place >= 0).toBe(expected.has(key));
        if (window === null) {
          if (place >= 0) windows.remove(place);
          expected.delete(key);
          continue;
        }
        if (place >= 0) windows.write(place, packed(window));
        else expect(windows.add(key, packed(window))).toBeGreaterThanOrEqual(0);
        expected.set(key, window);
      }
      expect(windows.size).toBe(expected.size);
      const places = [...windows.listPlaces()];
      expect(new Map(places.map((place) => [windows.readKey(place), plain(windows.read(place))]))).toEqual(expected);
      for (const place of places) {
        expect(windows.find(windows.readKey(place))).toBe(place);
        expect(windows.readPosition(place)).toBe(expected.get(windows.readKey(place))?.position);
        expect(windows.startsWith(place, 'ip|10.0.1')).toBe(windows.readKey(place).startsWith('ip|10.0.1'));
      }
    }),
    { numRuns: 50 },
  );
});

it('finds every key of very many, also while others come and go', () => {
  const windows = new PackedWindows(SEED);
  const name = (number: number) => `user|${number}@example.com|write|60`;
  const of = (number: number) => packed({ newest: number, hits: [1, 0, number % 90], seconds: 60, position: number });
  for (let number = 0; number < 60_000; number += 1)
    expect(windows.add(name(number), of(number))).toBe(windows.find(name(number)));
  for (let number = 0; number < 60_000; number += 2) windows.remove(windows.find(name(number)));
  for (let number = 60_000; number < 90_000; number += 1)
    expect(windows.add(name(number), of(number))).toBe(windows.find(name(number)));
  expect(windows.size).toBe(60_000);
  for (let number = 0; number < 90_000; number += 1) {
    const place = windows.find(name(number));
    if (number < 60_000 && number % 2 === 0) expect(place).toBe(-1);
    else expect(windows.read(place).newest).toBe(number);
  }
});

it('takes no key that is too long for it', () => {
  const windows = new PackedWindows(SEED);
  expect(windows.add('k'.repeat(256), packed({ newest: 1, hits: [1], seconds: 60, position: 1 }))).toBe(-1);
  expect(windows.size).toBe(0);
});
