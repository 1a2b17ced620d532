import { describe, expect, it } from 'vitest';
import { buildExpiryChoice, computeExpiry, ExpiryChoice } from '@/components/form/fields/expiry-field';
import { formatWallClock, parseWallClock } from '@/components/format/time';
import { table } from '../../fixtures/table';

const NOW = Date.UTC(2026, 10, 20, 12);

describe('an expiry that is chosen', () => {
  table('%s from now is %s', (preset: ExpiryChoice['preset']) => computeExpiry({ preset, custom: '' }, NOW), [
    ['1h', '2026-11-20T13:00:00.000Z'],
    ['1d', '2026-11-21T12:00:00.000Z'],
    ['7d', '2026-11-27T12:00:00.000Z'],
    ['never', null],
  ]);

  it('days are 24 hours long, also where the clocks change meanwhile', () => {
    const beforeTheChange = Date.UTC(2026, 9, 24, 12);
    expect(computeExpiry({ preset: '1d', custom: '' }, beforeTheChange)).toBe('2026-10-25T12:00:00.000Z');
  });

  it('a date that was typed before is of no account once a quick one is chosen', () => {
    expect(computeExpiry({ preset: '1h', custom: 'nonsense' }, NOW)).toBe('2026-11-20T13:00:00.000Z');
  });

  it.each([
    ['', 'Choose a date and a time.'],
    ['nonsense', 'Choose a date and a time.'],
    ['2020-01-01T00:00', 'Choose a time in the future.'],
  ])('an own time of %j is not taken', (custom, message) => {
    const { error } = ExpiryChoice.safeParse({ preset: 'custom', custom });
    expect(error?.issues.map((issue) => [issue.path.join('.'), issue.message])).toEqual([['custom', message]]);
  });

  it('an own time in the far future is taken: the API knows how far is too far', () => {
    expect(ExpiryChoice.safeParse({ preset: 'custom', custom: '2999-01-01T00:00' }).success).toBe(true);
  });
});

it.each(['2026-03-28T23:30:12.345Z', null])('what is stored comes back from the form as it is: %s', (timestamp) => {
  expect(computeExpiry(buildExpiryChoice(timestamp), NOW)).toBe(timestamp);
});

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati'];

describe.each(ZONES)('an input that shows the time in %s', (zone) => {
  it.each(['2026-03-28T23:30:00.000Z', '2026-07-01T00:00:00.000Z', '2026-11-01T05:59:00.000Z'])(
    'stands for the same moment when it is read again: %s',
    (timestamp) => expect(parseWallClock(formatWallClock(timestamp, zone), zone)).toBe(timestamp),
  );

  // The browser reports each year while 2026 is typed.
  it.each(['0002', '0020', '0202', '2026', '9999'])('keeps what is typed, also in the year %s', (year) => {
    const typed = `${year}-11-30T12:00`;
    expect(formatWallClock(parseWallClock(typed, zone), zone)).toBe(typed);
  });

  it.each(['0001-01-01T00:00', '9999-12-31T23:59'])('keeps the first and the last minute: %s', (typed) => {
    expect(formatWallClock(parseWallClock(typed, zone), zone)).toBe(typed);
  });
});

describe('an input for a date and a time', () => {
  it('reads what is typed in the zone it names, in summer and in winter', () => {
    expect(parseWallClock('2026-07-01T10:00', 'America/New_York')).toBe('2026-07-01T14:00:00.000Z');
    expect(parseWallClock('2026-12-01T10:00', 'America/New_York')).toBe('2026-12-01T15:00:00.000Z');
    expect(parseWallClock('2026-12-01T10:00', 'UTC')).toBe('2026-12-01T10:00:00.000Z');
  });

  it('reads years before zones had whole minutes by local mean time', () => {
    expect(parseWallClock('0202-11-30T12:00', 'UTC')).toBe('0202-11-30T12:00:00.000Z');
    expect(parseWallClock('0202-11-30T12:00', 'America/New_York')).toBe('0202-11-30T16:56:02.000Z');
  });

  it('is empty if the clock shows a year that an input cannot have', () => {
    expect(formatWallClock('9999-12-31T23:30:00.000Z', 'Europe/Berlin')).toBe('');
    expect(formatWallClock('9999-12-31T23:30:00.000Z', 'America/New_York')).toBe('9999-12-31T18:30');
  });

  it('is empty while the date is not complete', () => {
    expect(parseWallClock('', 'Europe/Berlin')).toBe('');
    expect(formatWallClock('', 'Europe/Berlin')).toBe('');
  });
});
