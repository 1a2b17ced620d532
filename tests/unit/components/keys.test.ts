import { describe, expect, it } from 'vitest';
import { describeForecast } from '@/components/keys/forecast-words';
import type { Forecast } from '@/lib/contract/forecasts';
import { type ApiKeyWithUsage, computeQuotaShare, deriveKeyState } from '@/lib/contract/keys';
import { table } from '../../fixtures/table';

const NOW = Date.UTC(2026, 10, 20, 12);

const key = (part: Partial<ApiKeyWithUsage> = {}): ApiKeyWithUsage => ({
  id: '0198c0de-0000-7000-8000-000000000000',
  name: 'billing',
  user_id: null,
  tier: 'free',
  client_type: 'public',
  prefix: 'slk_abcd',
  overage_allowed: false,
  month_starts_on: 1,
  limits: {},
  expires_at: null,
  created_at: '2026-11-01T00:00:00.000Z',
  created_by: 'owner@example.com',
  revoked_at: null,
  previous_secret_until: null,
  usage: 0,
  granted: 0,
  limit: 1_000,
  remaining: 1_000,
  reset_at: '2026-12-01T00:00:00.000Z',
  last_used_at: null,
  runs_out_at: null,
  ...part,
});

describe('the state of a key', () => {
  table('%s of %d used: %s', (usage: number | null, limit: number) => deriveKeyState(key({ usage, limit }), NOW), [
    [0, 1_000, 'active'],
    [799, 1_000, 'active'],
    [800, 1_000, 'near'],
    [999, 1_000, 'near'],
    [1_000, 1_000, 'used_up'],
    [5_000, 1_000, 'used_up'],
    [0, 0, 'used_up'],
    [null, 1_000, 'active'],
  ]);

  it('revoked comes before expired, and expired before used up', () => {
    const gone = { usage: 1_000, expires_at: '2026-11-01T00:00:00.000Z', revoked_at: '2026-11-02T00:00:00.000Z' };
    expect(deriveKeyState(key(gone), NOW)).toBe('revoked');
    expect(deriveKeyState(key({ ...gone, revoked_at: null }), NOW)).toBe('expired');
  });

  it('expires with the very millisecond', () => {
    const expires_at = new Date(NOW).toISOString();
    expect(deriveKeyState(key({ expires_at }), NOW - 1)).toBe('active');
    expect(deriveKeyState(key({ expires_at }), NOW)).toBe('expired');
  });

  it('has no share while its use is not known; a limit of nothing is all used', () => {
    expect([
      computeQuotaShare(key({ usage: null })),
      computeQuotaShare(key({ limit: 0 })),
      computeQuotaShare(key({ usage: 250 })),
    ]).toEqual([null, 1, 0.25]);
  });
});

describe('the forecast of a quota in words', () => {
  const forecast = (part: Partial<Forecast> = {}): Forecast => ({
    api_key_id: key().id,
    name: 'billing',
    tier: 'free',
    usage: 500,
    limit: 1_000,
    remaining: 500,
    used_percent: 50,
    overage_allowed: false,
    resets_at: '2026-12-01T00:00:00.000Z',
    per_day: 100,
    days_observed: 5,
    runs_out_at: '2026-11-25T12:00:00.000Z',
    earliest: '2026-11-24T00:00:00.000Z',
    latest: '2026-11-27T00:00:00.000Z',
    interval_known: true,
    exhausted: false,
    ends_with_grant: false,
    ...part,
  });

  table('%s', (_, part) => describeForecast(forecast(part)), [
    ['with its interval', {}, 'Runs out about 25 Nov; 80% likely between 24 Nov and 27 Nov.'],
    [
      'with one that ends on the day it begins',
      { earliest: '2026-11-25T01:00:00.000Z', latest: '2026-11-25T23:00:00.000Z' },
      'Runs out about 25 Nov; 80% likely on that day.',
    ],
    [
      'that may last after all',
      { latest: null },
      'Runs out about 25 Nov; 80% likely not before 24 Nov, or not before the reset.',
    ],
    [
      'that ends with a grant, whatever the interval',
      { ends_with_grant: true },
      'Runs out on 25 Nov, when a grant ends: by then more than the limit without it is used.',
    ],
    ['that lasts', { runs_out_at: null }, 'Lasts until the reset at this pace.'],
    ['without use', { per_day: 0, runs_out_at: null }, 'No recent use, so no forecast.'],
    ['used up', { exhausted: true }, 'Used up; requests are refused.'],
    ['used up with overage', { exhausted: true, overage_allowed: true }, 'Used up; overage is served.'],
    [
      'after one day',
      { interval_known: false, days_observed: 1 },
      'Runs out about 25 Nov. Only 1 day of use, so this is a guess.',
    ],
    [
      'after two days',
      { interval_known: false, days_observed: 2, runs_out_at: null },
      'Lasts until the reset at this pace. Only 2 days of use, so this is a guess.',
    ],
    [
      'on the first day',
      { interval_known: false, days_observed: 0 },
      'Runs out about 25 Nov. Only today has data, so this is a guess.',
    ],
  ]);

  it('names days in UTC, as the quota counts them', () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Pacific/Kiritimati';
    try {
      expect(describeForecast(forecast({ runs_out_at: '2026-11-30T23:59:59.000Z', interval_known: false }))).toContain(
        '30 Nov',
      );
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});
