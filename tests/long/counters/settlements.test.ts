import fc from 'fast-check';
import { describe, it, onTestFinished } from 'vitest';
import { openRedisAtTime } from '../../fixtures/redis-at-time';
import { redisIsMissing } from '../../fixtures/redis-server';
import {
  followPlaces,
  followSchedule,
  placeSchedules,
  schedules,
  type TimedStore,
} from '../../fixtures/settlement-schedules';
import { openTimedFile, openTimedMemory, openTimedServer } from '../../fixtures/timed-stores';
import { databasePath } from '../../unit/counters/open-counters';

const SCHEDULES = 10_000;
/** Schedules on one store, so that neither its counters nor its calendar grow without end. */
const PART = 500;
const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 20, 12);

interface KindOfStore {
  name: string;
  missing?: boolean;
  /** Whether windows of this length are used. */
  uses?: (seconds: number) => boolean;
  open(): TimedStore | Promise<TimedStore>;
}

const STORES: KindOfStore[] = [
  { name: 'memory', open: openTimedMemory },
  {
    name: 'embedded',
    open: () => {
      const store = openTimedFile(databasePath());
      onTestFinished(() => store.close());
      return store;
    },
  },
  { name: 'remote', open: openTimedServer },
  {
    name: 'redis',
    missing: redisIsMissing('long/counters (Redis)'),
    // Keys expire by the server's own clock, which hardly moves while a schedule is followed.
    uses: (seconds) => seconds > 1,
    open: async () => {
      const { store, stop } = await openRedisAtTime();
      onTestFinished(stop);
      return store;
    },
  },
];

describe.each(STORES.filter(({ missing }) => missing !== true))('the $name store', ({ uses, open }) => {
  it(
    `counts and settles as the reference does, in ${SCHEDULES} schedules`,
    async () => {
      for (let done = 0; done < SCHEDULES; done += PART) {
        const store = await open();
        let now = START;
        const follow = fc.asyncProperty(schedules, async (steps) => {
          now = await followSchedule(store, steps, now, uses);
        });
        await fc.assert(follow, { numRuns: PART });
      }
    },
    HOUR,
  );

  it(
    `holds as many places as the limit, in ${SCHEDULES} schedules`,
    async () => {
      for (let done = 0; done < SCHEDULES; done += PART) {
        const store = await open();
        let now = START;
        const follow = fc.asyncProperty(placeSchedules, async (schedule) => {
          now = await followPlaces(store, schedule, now);
        });
        await fc.assert(follow, { numRuns: PART });
      }
    },
    HOUR,
  );
});
