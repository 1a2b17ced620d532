import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginSignIn, FREE_FAILURES } from '@/lib/auth/sign-in-throttle';
import { type OpenedStore, STORES } from '../stores/opened-stores';

describe.each(STORES)('failed sign-ins on one account, counted in a store of kind $kind', ({ missing, open }) => {
  let opened: OpenedStore;
  beforeAll(async () => {
    if (!missing) opened = await open();
  });
  afterAll(() => opened?.close());

  it.skipIf(missing)('wait for each other after the tenth, from whatever addresses, also side by side', async () => {
    type Throttle = Parameters<typeof beginSignIn>[0];
    const services = {
      counters: opened.store,
      rules: { current: { revision: 0 } },
      authSecret: 'a secret of the tests that has more than thirty-two characters',
    } as unknown as Throttle;
    let strangers = 0;
    const begin = () => {
      strangers += 1;
      return beginSignIn(services, 'ada@example.com', {
        address: `10.0.${strangers >> 8}.${strangers & 255}`,
        knownBrowser: null,
      });
    };
    const start = performance.now();
    /** How many may have been let through by now, however slow this machine is: 10, after 2 s 11, after 6 s 12, ... */
    const most = () => FREE_FAILURES + Math.floor(Math.log2((performance.now() - start) / 2000 + 1));
    let admitted = 0;
    let [shortest, longest] = [Number.POSITIVE_INFINITY, 0];
    while (admitted <= FREE_FAILURES) {
      const waits = await Promise.all(Array.from({ length: 15 }, begin));
      admitted += waits.filter((wait) => wait === null).length;
      expect(admitted).toBeLessThanOrEqual(most());
      const refused = waits.filter((wait) => wait !== null);
      shortest = Math.min(shortest, ...refused);
      longest = Math.max(longest, ...refused);
    }
    expect(shortest).toBeGreaterThanOrEqual(1);
    expect(longest).toBeLessThanOrEqual(2 ** (admitted - FREE_FAILURES + 1) + 1);
    expect(Number.isFinite(shortest)).toBe(true);
    expect(await beginSignIn(services, 'ada@example.com', { address: null, knownBrowser: 'device:x' })).toBeNull();
    expect(await beginSignIn(services, 'bob@example.com', { address: '10.9.9.9', knownBrowser: null })).toBeNull();
  });
});
