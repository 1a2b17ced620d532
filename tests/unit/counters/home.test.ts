import { expect, it } from 'vitest';
import { groupOptions } from '@/lib/counters/group-commit';
import { type CounterPlace, withFence } from '@/lib/counters/home';
import { MemoryCounters } from '@/lib/counters/memory/store';

it('leaves to the store behind the fence how far apart its groups are, from group to group', () => {
  const store = Object.assign(new MemoryCounters({ clock: Date.now }), { apart: 0 });
  const { apart } = groupOptions(withFence(store, {} as CounterPlace, () => null));
  expect(apart?.()).toBe(0);
  store.apart = 0.016;
  expect(apart?.()).toBe(0.016);
});
