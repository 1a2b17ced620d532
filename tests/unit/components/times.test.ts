import { describe, expect, it, vi } from 'vitest';
import { chooseAxisZone, formatStep, formatTick } from '@/components/chart/axes';
import { formatRelative } from '@/components/format/relative-time';
import {
  formatAbsoluteTime,
  formatDate,
  formatExactTimes,
  formatOtherTime,
  isUtc,
  nameZone,
} from '@/components/format/time';
import { table } from '../../fixtures/table';

const WINTER = Date.UTC(2026, 10, 20, 12);
const SUMMER = Date.UTC(2026, 6, 20, 12);
const MINUTE = 60_000;
const DAY = 86_400_000;

describe('a zone', () => {
  table('at %d in %s is called %s', nameZone, [
    [WINTER, 'UTC', 'UTC'],
    [WINTER, 'Europe/Berlin', 'CET'],
    [SUMMER, 'Europe/Berlin', 'CEST'],
    [WINTER, 'America/New_York', 'EST'],
    [SUMMER, 'America/New_York', 'EDT'],
    [WINTER, 'Asia/Kolkata', 'IST'],
    [WINTER, 'Asia/Kathmandu', 'GMT+5:45'],
  ]);
});

it('asks for the name of a zone once for ten minutes, not for each of a thousand times', () => {
  const zone = 'Europe/London';
  // No other test names the zone of this year, so nothing is cached.
  const start = Date.UTC(2031, 6, 20, 12);
  isUtc(zone);
  const asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  expect(nameZone(start, zone)).toBe('BST');
  const once = asked.mock.calls.length;
  expect(once).toBeGreaterThan(0);
  for (let minute = 0; minute < 1_000; minute += 1) formatExactTimes(start + minute * MINUTE, zone, zone);
  expect(asked).toHaveBeenCalledTimes(once * 100);
  asked.mockRestore();
});

describe('an absolute time', () => {
  it('is told in the zone and names it', () => {
    expect(formatAbsoluteTime(WINTER, 'America/New_York')).toBe('20 Nov 2026, 07:00 EST');
    expect(formatAbsoluteTime(WINTER, 'Europe/Berlin', { seconds: true })).toBe('20 Nov 2026, 13:00:00 CET');
    expect(formatAbsoluteTime('2026-11-20T00:00:00.000Z', 'UTC')).toBe('20 Nov 2026, 00:00 UTC');
  });

  it('has UTC on hover, and the other way round when UTC is chosen', () => {
    expect(formatOtherTime(WINTER, 'Europe/Berlin', 'Europe/Berlin')).toBe('2026-11-20 12:00:00 UTC');
    expect(formatOtherTime(WINTER, 'UTC', 'Europe/Berlin')).toBe('20 Nov 2026, 13:00:00 CET');
    expect(formatOtherTime(WINTER, 'UTC', 'UTC')).toBe('2026-11-20 12:00:00 UTC');
  });

  it('is exact in both zones, the chosen one first, where only its distance is shown', () => {
    const [utc, local] = ['2026-11-20 12:00:00 UTC', '20 Nov 2026, 13:00:00 CET'];
    expect(formatExactTimes(WINTER, 'Europe/Berlin', 'Europe/Berlin')).toBe(`${local}\n${utc}`);
    expect(formatExactTimes(WINTER, 'UTC', 'Europe/Berlin')).toBe(`${utc}\n${local}`);
    expect(formatExactTimes(WINTER, 'UTC', 'UTC')).toBe(utc);
  });

  it('is a date in its zone, with the year where it is another', () => {
    expect(formatDate(Date.UTC(2026, 11, 1), 'America/New_York', WINTER)).toBe('30 Nov');
    expect(formatDate(Date.UTC(2027, 0, 1), 'UTC', WINTER)).toBe('1 Jan 2027');
  });
});

describe('a relative time', () => {
  table('%d days away: %s', (days) => formatRelative(new Date(WINTER + days * DAY).toISOString(), WINTER, 'UTC'), [
    [0, 'just now'],
    [0.9999, 'in 1 d'],
    [5.9, 'in 6 d'],
    [7, 'in 7 d'],
    [7.01, '27 Nov'],
    [-30, '21 Oct'],
    [400, '25 Dec 2027'],
  ]);
});

describe('the time axis', () => {
  it('is in the zone of the reader', () => {
    expect(formatTick(WINTER, 3_600_000, 'America/New_York')).toBe('07:00');
    expect(formatStep(WINTER, 60_000, 'America/New_York')).toBe('20 Nov 07:00–07:01 EST');
  });

  it('is in UTC where a step is a day: the server counts days of UTC', () => {
    expect(chooseAxisZone(DAY, 'America/New_York')).toBe('UTC');
    expect(chooseAxisZone(3_600_000, 'America/New_York')).toBe('America/New_York');
    expect(formatStep(Date.UTC(2026, 10, 20), DAY, 'America/New_York')).toBe('20 Nov UTC');
  });
});
