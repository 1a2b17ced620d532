import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ShardedMap } from '@/lib/counters/embedded/packed/sharded-map';

it('is a map, whatever the keys look like', () => {
  const step = fc.tuple(fc.constantFrom('set', 'delete', 'clear'), fc.string({ maxLength: 30 }), fc.nat());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const [map, expected] = [new ShardedMap<number>(), new Map<string, number>()];
      for (const [what, key, value] of steps) {
        if (what === 'clear' && value % 5 > 0) continue;
        if (what === 'set') {
          map.set(key, value);
          expected.set(key, value);
        } else if (what === 'delete') {
          map.delete(key);
          expected.delete(key);
        } else {
          map.clear();
          expected.clear();
        }
        expect(map.get(key)).toBe(expected.get(key));
        expect(map.size).toBe(expected.size);
      }
      expect(new Map(map)).toEqual(expected);
    }),
  );
});
