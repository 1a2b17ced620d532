import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openRedisAtTime, type RedisAtTime } from '../../fixtures/redis-at-time';
import { redisIsMissing } from '../../fixtures/redis-server';
import { runs } from '../../fixtures/runs';
import { EDGES, followPlaces, followSchedule, placeSchedules, schedules } from '../../fixtures/settlement-schedules';

const START = Date.UTC(2026, 10, 20, 12);
/** Keys expire by the server's own clock, which hardly moves while a schedule is followed. */
const isLong = (seconds: number) => seconds > 1;

describe.skipIf(redisIsMissing('integration/redis (settlements)'))('the scripts', () => {
  let redis: RedisAtTime;
  beforeAll(async () => {
    redis = await openRedisAtTime();
  });
  afterAll(() => redis?.stop());

  it('count and settle by several windows, costs and months, whatever the schedule', async () => {
    let now = START;
    await fc.assert(
      fc.asyncProperty(schedules, async (steps) => {
        now = await followSchedule(redis.store, steps, now, isLong);
      }),
      { ...runs(100), seed: 20261127 },
    );
  });

  it('hold as many places as the limit, and get all of them back', async () => {
    let now = START;
    await fc.assert(
      fc.asyncProperty(placeSchedules, async (schedule) => {
        now = await followPlaces(redis.store, schedule, now);
      }),
      { ...runs(100), seed: 20261127 },
    );
  });

  // Ids expire by the server's own clock.
  const edges = Object.entries(EDGES).filter(([edge]) => !edge.includes('ids'));
  it.each(edges)('%s', (_, follow) => follow(redis.store, START));
});
