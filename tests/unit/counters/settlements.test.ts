import fc from 'fast-check';
import { describe, it, onTestFinished } from 'vitest';
import { runs } from '../../fixtures/runs';
import {
  EDGES,
  followPlaces,
  followSchedule,
  placeSchedules,
  schedules,
  type TimedStore,
} from '../../fixtures/settlement-schedules';
import { openTimedFile, openTimedMemory, openTimedServer } from '../../fixtures/timed-stores';
import { databasePath } from './open-counters';

/** With how many schedules each is tried: those on SQL take longest. */
const STORES: [name: string, schedules: number, open: () => TimedStore][] = [
  ['memory', 300, openTimedMemory],
  [
    'embedded',
    200,
    () => {
      const store = openTimedFile(databasePath());
      onTestFinished(() => store.close());
      return store;
    },
  ],
  ['remote', 60, openTimedServer],
];

describe.each(STORES)('the %s store', (name, usual, open) => {
  it('counts and settles by several windows, costs and months, whatever the schedule', async () => {
    const store = open();
    let now = Date.UTC(2026, 10, 20, 12);
    await fc.assert(
      fc.asyncProperty(schedules, async (steps) => {
        now = await followSchedule(store, steps, now);
      }),
      { ...runs(usual), seed: 20261127 },
    );
  });

  // The memory keeps one month of a key.
  const edges = Object.entries(EDGES).filter(([edge]) => name !== 'memory' || !edge.includes('month'));
  it.each(edges)('%s', (_, follow) => follow(open(), Date.UTC(2026, 10, 20, 12)));

  it('holds as many places as the limit, and gets all of them back', async () => {
    const store = open();
    let now = Date.UTC(2026, 10, 20, 12);
    await fc.assert(
      fc.asyncProperty(placeSchedules, async (schedule) => {
        now = await followPlaces(store, schedule, now);
      }),
      { ...runs(usual), seed: 20261127 },
    );
  });
});
