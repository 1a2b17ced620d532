import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findRangeSubject, selectCounters } from '@/lib/admin/limits/counter-selection';
import type { CounterStore } from '@/lib/counters/store';
import { formatAddressSubject, isWithin, parseAddress, parseRange } from '@/lib/limiter/address';
import { buildCounterKey } from '@/lib/limiter/counter-key';

/** The part of a store that a selection asks. */
function storeOf(keys: string[]): CounterStore {
  return {
    listKeys: async (prefix: string) => keys.filter((key) => key.startsWith(prefix)),
  } as unknown as CounterStore;
}

const WINDOW = { kind: 'sliding', seconds: 60 } as const;
const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
const ipv6 = fc
  .array(group, { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((group) => group.toString(16)).join(':'));
const range = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
  fc.tuple(ipv6, fc.integer({ min: 0, max: 128 })),
);

test('a range selects the counters of exactly the addresses in it', async () => {
  await fc.assert(
    fc.asyncProperty(
      range,
      fc.array(fc.oneof(fc.ipV4(), ipv6), { maxLength: 20 }),
      async ([base, length], addresses) => {
        const chosen = parseRange(`${base}/${length}`);
        fc.pre(chosen !== null);
        // Neighbours of the range, so that not all of them lie outside.
        const near = [base, base.replace(/[0-9a-f]+$/, '1'), base.replace(/^[0-9a-f]+/, '1')];
        const counted = [...addresses, ...near].flatMap((text) => parseAddress(text) ?? []);
        const keys = [
          ...new Set(counted.map((address) => buildCounterKey('ip', formatAddressSubject(address), 'read', WINDOW))),
        ];
        const selection = await selectCounters(storeOf(keys), 'ip', chosen.text, undefined);
        const selected =
          'prefix' in selection ? keys.filter((key) => key.startsWith(selection.prefix)) : selection.keys;
        const expected = keys.filter((key) => {
          const subject = parseRange(key.split('|')[1] ?? '');
          if (subject === null) return false;
          return findRangeSubject(chosen) === null
            ? isWithin(subject.first, chosen)
            : subject.text === findRangeSubject(chosen);
        });
        expect([...selected].sort()).toEqual(expected.sort());
      },
    ),
    { numRuns: 2_000 },
  );
});
