import { describe, expect, it, test } from 'vitest';
import { createApiKey } from '@/lib/admin/keys/create';
import { createLimit } from '@/lib/admin/named-limits/create';
import { removeLimit } from '@/lib/admin/named-limits/remove';
import { updateLimit } from '@/lib/admin/named-limits/update';
import { putOverride } from '@/lib/admin/overrides/add';
import { readLimitUse } from '@/lib/admin/statistics/read-limit-use';
import type { LimitInUse } from '@/lib/contract/limit-use';
import { HOUR, MINUTE } from '@/lib/units';
import { call } from '@/tests/fixtures/call';
import { decisionEvent } from '@/tests/fixtures/decision-event';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const create = async (limit: object) =>
  expect((await call(here.services, createLimit, { body: limit })).status).toBe(201);
const SMS = { name: 'sms', windows: [{ limit: 10, seconds: 60 }] };

interface Used {
  minutesAgo: number;
  units: number;
  subject?: string;
  name?: string;
  percent?: number;
  refused?: boolean;
}

/** Records one check of a named limit alone. */
function use({ minutesAgo, units, subject = 'alice', name = 'sms', percent = 10, refused = false }: Used) {
  here.services.statistics.record(
    decisionEvent(TEST_START - minutesAgo * MINUTE, {
      ...{ class: null, ip: null, outcome: refused ? 'refused' : 'allowed' },
      limitUses: [{ name, subject, units, percent }],
    }),
  );
}

async function readUse(query: Record<string, string> = {}): Promise<LimitInUse[]> {
  await here.services.statistics.flushAll();
  const { status, json, text } = await call(here.services, readLimitUse, { query });
  expect(status, text).toBe(200);
  return json.limits;
}

const sum = (points: readonly number[]) => points.reduce((total, units) => total + units, 0);

describe('the use of limits', () => {
  it('is their units by minute, the largest share, and the three that came nearest', async () => {
    await create(SMS);
    use({ minutesAgo: 61, units: 100, subject: 'old', percent: 100 });
    use({ minutesAgo: 45, units: 7, subject: 'a', percent: 70, refused: true });
    for (const [index, subject] of ['d', 'c', 'b', 'a'].entries())
      use({ minutesAgo: 35 - 10 * index, units: 4 - index, subject, percent: 80 - 20 * index });
    const [sms, ...others] = await readUse();
    expect(others).toEqual([]);
    expect(sms).toMatchObject({
      ...{ place: 'limits.sms', units: 17, refused_units: 7, peak_percent: 80, last_day: null },
      nearest: [
        { identifier: 'd', api_key_name: null, peak_percent: 80 },
        { identifier: 'a', api_key_name: null, peak_percent: 70 },
        { identifier: 'c', api_key_name: null, peak_percent: 60 },
      ],
    });
    expect(sms?.points).toHaveLength(60);
    expect(sms?.points[55]).toBe(1);
    expect(sms?.points[15]).toBe(7);
    expect(sum(sms?.points ?? [])).toBe(sms?.units);
  });

  it('lists the limits of classes, of clients and of tiers with a rate before the named ones', async () => {
    await create(SMS);
    const newKey = async (tier: string, name: string) =>
      (await call(here.services, createApiKey, { body: { tier, name, client_type: 'public' } })).json.id as string;
    const id = await newKey('free', 'Shop');
    here.services.statistics.record(
      decisionEvent(TEST_START - 5 * MINUTE, {
        ...{ userId: 'alice', apiKeyId: id, usedShares: { ip: 30, user: 5, client: 50 } },
        limitUses: [{ name: 'sms', subject: id, units: 2, percent: 20 }],
      }),
    );
    const places = (await readUse()).map(({ place, nearest }) => [place, nearest[0]?.api_key_name]);
    expect(places).toEqual([
      ['classes.read.ip', null],
      ['classes.read.user', null],
      ['clients.public', 'Shop'],
      ['limits.sms', 'Shop'],
    ]);
    const ofKey = await readUse({ api_key: id });
    expect(ofKey.map(({ place, units, peak_percent, last_day }) => ({ place, units, peak_percent, last_day }))).toEqual(
      [
        { place: 'clients.public', units: 1, peak_percent: 50, last_day: { allowed: 1, refused: 0 } },
        { place: 'limits.sms', units: 2, peak_percent: 20, last_day: { allowed: 2, refused: 0 } },
      ],
    );
    const other = await newKey('free', 'Other');
    expect(await readUse({ api_key: other })).toEqual([]);
  });

  it('leaves out limits that were removed, and refuses a key that does not exist', async () => {
    await create(SMS);
    use({ minutesAgo: 5, units: 1 });
    await call(here.services, removeLimit, { params: { name: 'sms' } });
    expect(await readUse()).toEqual([]);
    const query = { api_key: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' };
    expect((await call(here.services, readLimitUse, { query })).status).toBe(404);
  });
});

describe('the preview of a changed named limit', () => {
  const effectOf = async (body: object): Promise<string | undefined> => {
    await here.services.statistics.flushAll();
    const answer = await call(here.services, updateLimit, {
      params: { name: 'sms' },
      body,
      query: { dry_run: 'true' },
    });
    return answer.json.changes[0].effect;
  };

  test('replays the last hour for each subject', async () => {
    await create(SMS);
    for (const [subject, units] of [
      ['alice', 9],
      ['bob', 6],
      ['carol', 2],
    ] as const)
      use({ minutesAgo: 10, units, subject });
    expect(await effectOf({ windows: [{ limit: 4, seconds: 60 }] })).toBe(
      'Refuses 7 instead of 0 of 17 units in the last hour: alice and bob.',
    );
    expect(await effectOf({ windows: [{ limit: 20, seconds: 60 }] })).toBe(
      'Refuses 0 of 17 units in the last hour, as now.',
    );
    expect(await effectOf({ description: 'Codes' })).toBeUndefined();
  });

  test('bounds windows that hold at once, and fills them with the hour before', async () => {
    await create(SMS);
    use({ minutesAgo: 70, units: 8 });
    use({ minutesAgo: 50, units: 8 });
    // Within an hour of each other. Alone, the minute would refuse 3 and the hour 6.
    const windows = [
      { limit: 5, seconds: 60 },
      { limit: 10, seconds: 3_600 },
    ];
    expect(await effectOf({ windows })).toBe('Refuses 6 to 8 instead of 0 of 8 units in the last hour: alice.');
  });

  test('leaves the numbers of an override and of a tier as they are, and says what it does not replay', async () => {
    await create({ ...SMS, tiers: { free: [{ limit: 50, seconds: 60 }] } });
    const { json: key } = await call(here.services, createApiKey, { body: { name: 'Shop', tier: 'free' } });
    const override = { limit_name: 'sms', windows: [{ limit: 30, seconds: 60 }], reason: 'Campaign' };
    const put = await call(here.services, putOverride, { body: { type: 'subject', identifier: 'alice', ...override } });
    expect(put.status, put.text).toBeLessThan(300);
    use({ minutesAgo: 10, units: 9, subject: 'alice' });
    use({ minutesAgo: 10, units: 9, subject: key.id });
    use({ minutesAgo: 10, units: 9, subject: 'bob' });
    const tiers = { free: [{ limit: 50, seconds: 60 }] };
    const windows = [
      { limit: 4, seconds: 60 },
      { limit: 1_000, seconds: 'month' },
    ];
    expect(await effectOf({ windows, tiers })).toBe(
      'Refuses 5 instead of 0 of 27 units in the last hour: bob. Windows longer than an hour and places are not replayed whole.',
    );
    expect(await effectOf({ tiers: { free: [{ limit: 3, seconds: 60 }] } })).toBe(
      'Refuses 6 instead of 0 of 27 units in the last hour: Shop.',
    );
  });

  test('says that no request came', async () => {
    await create(SMS);
    here.clock.advance(3 * HOUR);
    expect(await effectOf({ windows: [{ limit: 4, seconds: 60 }] })).toBe('In the last hour it applied to no request.');
  });
});
