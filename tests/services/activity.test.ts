import { describe, expect, it } from 'vitest';
import { readActivity } from '@/lib/admin/statistics/read-activity';
import type { Activity } from '@/lib/contract/activity';
import { FOLLOWED } from '@/lib/statistics/demand';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { decisionEvent, refusalEvent } from '@/tests/fixtures/decision-event';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const MINUTE = 60_000;
const KEY = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';

async function activity(type: string, identifier: string): Promise<Activity> {
  await here.services.statistics.flush();
  const answer = await call(here.services, readActivity, { query: { type, identifier } });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}
const record = (...events: ReturnType<typeof decisionEvent>[]) => {
  for (const event of events) here.services.statistics.record(event);
};

describe('what a caller sent in the last hour', () => {
  it('is counted by minute and class, allowed and refused apart, by cost', async () => {
    const who = { userId: 'alice', apiKeyId: KEY };
    record(
      decisionEvent(TEST_START, { ...who, cost: 3 }),
      refusalEvent(TEST_START + 1_000, '203.0.113.7', { class: 'auth' }),
      decisionEvent(TEST_START + MINUTE, { outcome: 'degraded', ...who }),
      decisionEvent(TEST_START + MINUTE, { outcome: 'bypassed', ...who }),
      decisionEvent(TEST_START, { ip: '203.0.113.8' }),
    );
    here.clock.advance(2 * MINUTE);
    expect(await activity('ip', '203.0.113.7')).toEqual({
      type: 'ip',
      identifier: '203.0.113.7',
      from: '2026-11-20T11:02:00.000Z',
      to: '2026-11-20T12:02:00.000Z',
      complete: true,
      classes: [
        { class: 'auth', allowed: 0, refused: 1 },
        { class: 'read', allowed: 4, refused: 0 },
      ],
      minutes: [
        { start: '2026-11-20T12:00:00.000Z', allowed: 3, refused: 1 },
        { start: '2026-11-20T12:01:00.000Z', allowed: 1, refused: 0 },
      ],
    });
    expect((await activity('user_id', 'alice')).classes).toEqual([{ class: 'read', allowed: 4, refused: 0 }]);
    expect((await activity('api_key', KEY)).classes).toEqual([{ class: 'all', allowed: 4, refused: 0 }]);
  });

  it('leaves out what is older than an hour, and says nothing of somebody who sent nothing', async () => {
    record(decisionEvent(TEST_START, {}));
    here.clock.advance(61 * MINUTE);
    expect(await activity('ip', '203.0.113.7')).toMatchObject({ complete: true, classes: [], minutes: [] });
  });

  it('is that of the /64 of an IPv6 address', async () => {
    for (const last of [1, 2]) record(decisionEvent(TEST_START, { ip: `2001:db8:1:2::${last}` }));
    here.clock.advance(MINUTE);
    expect(await activity('ip', '2001:db8:1:2::99')).toMatchObject({
      identifier: '2001:db8:1:2::/64',
      classes: [{ class: 'read', allowed: 2 }],
    });
  });

  it('is a lower bound where more callers were active than are counted one by one', async () => {
    record(...Array.from({ length: FOLLOWED }, () => decisionEvent(TEST_START, {})));
    for (let n = 0; n < FOLLOWED; n += 1) record(decisionEvent(TEST_START, { ip: `10.0.0.${n}` }));
    here.clock.advance(MINUTE);
    const busy = await activity('ip', '203.0.113.7');
    expect([busy.complete, busy.classes]).toEqual([false, [{ class: 'read', allowed: FOLLOWED, refused: 0 }]]);
    expect((await activity('user_id', 'alice')).complete).toBe(true);
  });

  it('is a lower bound where an older version did not count refusals', async () => {
    record(decisionEvent(TEST_START, {}));
    here.clock.advance(MINUTE);
    await here.services.statistics.flush();
    await here.services.database.client.execute('update demand set refused = null');
    expect(await activity('ip', '203.0.113.7')).toMatchObject({ complete: false, classes: [] });
  });

  it.each([
    { type: 'ip', identifier: '203.0.113.0/24' },
    { type: 'ip', identifier: '2001:db8::/63' },
    { type: 'client_id', identifier: 'app' },
    { type: 'api_key', identifier: 'x' },
    { type: 'ip' },
  ])('is refused for %o', async (query) => {
    expectInvalid(await call(here.services, readActivity, { query: query as Record<string, string> }));
  });
});
