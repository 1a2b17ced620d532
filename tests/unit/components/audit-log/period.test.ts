import { describe, expect, it } from 'vitest';
import { buildPeriodQuery } from '@/components/audit-log/period';

const NOW = Date.parse('2026-11-22T23:30:00Z');
const days = (from: string, to: string) => ({ period: 'own', from, to }) as const;
const preset = (period: 'all' | 'today' | '7d' | '30d') => ({ period, from: '', to: '' });

describe('a period of the audit log', () => {
  it('begins with a day of the zone that times are shown in', () => {
    expect(buildPeriodQuery(preset('today'), NOW, 'UTC')).toEqual({ from: '2026-11-22T00:00:00.000Z' });
    // In Berlin the 23rd has begun.
    expect(buildPeriodQuery(preset('today'), NOW, 'Europe/Berlin')).toEqual({ from: '2026-11-22T23:00:00.000Z' });
    expect(buildPeriodQuery(preset('7d'), NOW, 'UTC')).toEqual({ from: '2026-11-15T00:00:00.000Z' });
    expect(buildPeriodQuery(preset('30d'), NOW, 'UTC')).toEqual({ from: '2026-10-23T00:00:00.000Z' });
  });

  it('includes both of its own days, also over a change of clocks', () => {
    expect(buildPeriodQuery(days('2026-11-01', '2026-11-02'), NOW, 'UTC')).toEqual({
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-03T00:00:00.000Z',
    });
    expect(buildPeriodQuery(days('2026-10-24', '2026-10-25'), NOW, 'Europe/Berlin')).toEqual({
      from: '2026-10-23T22:00:00.000Z',
      to: '2026-10-25T23:00:00.000Z',
    });
  });

  it.each(['UTC', 'Europe/Berlin', 'America/New_York'])(
    'reads the years that appear while 2026 is typed: %s',
    (zone) => {
      for (const year of ['0002', '0020', '0202', '0999', '2026', '9999']) {
        expect(buildPeriodQuery(days(`${year}-11-30`, ''), NOW, zone).from).toMatch(`${year}-11-`);
      }
    },
  );

  it('is open where it reaches beyond the years of the API', () => {
    expect(buildPeriodQuery(days('9999-12-31', '9999-12-31'), NOW, 'UTC')).toEqual({
      from: '9999-12-31T00:00:00.000Z',
    });
    // There the year 1 begins while it is still the year before it in UTC.
    expect(buildPeriodQuery(days('0001-01-01', '0001-01-02'), NOW, 'Asia/Tokyo')).toEqual({
      to: '0001-01-02T14:41:01.000Z',
    });
  });

  it('is open where a day is missing or is none', () => {
    expect(buildPeriodQuery(preset('all'), NOW, 'UTC')).toEqual({});
    expect(buildPeriodQuery(days('2026-02-30', '2026-11'), NOW, 'UTC')).toEqual({});
    expect(buildPeriodQuery(days('', '2026-11-02'), NOW, 'UTC')).toEqual({
      from: undefined,
      to: '2026-11-03T00:00:00.000Z',
    });
    expect(buildPeriodQuery(days('yesterday', ''), NOW, 'UTC')).toEqual({ from: undefined, to: undefined });
  });
});
