import { expect, it } from 'vitest';
import { Breaker, guardStore } from '@/lib/counters/breaker';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { StoreUnavailable } from '@/lib/counters/store';

it('opens after five groups in a row that were not decided, whatever the sweeps between them found', async () => {
  const clock = () => 0;
  const breaker = new Breaker({ monotonic: clock });
  // As a file whose write lock another process holds: there is nothing to sweep, and nothing can be written.
  const store = new MemoryCounters({ clock });
  store.commit = () => Promise.reject(new StoreUnavailable('locked'));
  const counters = guardStore(store, breaker, clock);
  for (let failures = 1; failures <= 5; failures += 1) {
    expect(breaker.state).toBe('closed');
    await expect(counters.commit(0, [])).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await counters.sweep(100)).toBe(0);
  }
  expect(breaker.state).toBe('open');
});

it('pings the store itself, once a second at most, whatever the breaker says', async () => {
  const clock = { now: 0 };
  const breaker = new Breaker({ monotonic: () => clock.now, failures: 1 });
  const store = new MemoryCounters({ clock: () => clock.now });
  let pings = 0;
  store.ping = async () => {
    pings += 1;
    throw new StoreUnavailable('full');
  };
  store.commit = () => Promise.reject(new StoreUnavailable('full'));
  const counters = guardStore(store, breaker, () => clock.now);
  await expect(counters.commit(0, [])).rejects.toThrow('full');
  expect(breaker.state).toBe('open');
  for (let i = 0; i < 5; i += 1) await expect(counters.ping()).rejects.toThrow('full');
  expect(pings).toBe(1);
  clock.now = 1_000;
  store.ping = async () => undefined;
  await counters.ping();
});
