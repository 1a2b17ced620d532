import { describe, expect, test } from 'vitest';
import { Failure } from '@/cli/failure';
import { addToNow, isAddress, isLikelyAddress, parseTime, parseTimeOrAgo, parseWholeNumber } from '@/cli/values';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');

describe('--for', () => {
  test.each([
    ['30s', '2026-11-20T12:00:30.000Z'],
    ['30m', '2026-11-20T12:30:00.000Z'],
    ['2h', '2026-11-20T14:00:00.000Z'],
    ['1h30m', '2026-11-20T13:30:00.000Z'],
    ['7d', '2026-11-27T12:00:00.000Z'],
    ['2w', '2026-12-04T12:00:00.000Z'],
  ])('%s', (text, end) => expect(addToNow(text, NOW)).toBe(end));

  test.each(['', '2', 'h', '0h', '-2h', '2 h', '2months', '1.5h', '999999999w'])('%j is wrong usage', (text) => {
    expect(() => addToNow(text, NOW)).toThrow(Failure);
  });
});

/** What `Date.parse` reads, and other tools, but no request may have. */
const LAX = [
  ...['2026', '2026-12', '20261201', '2026-1-1', '2026-12-01Z', '2026-12-01+02:00', '1 Dec 2026', 'Dec 1, 2026'],
  ...['2026-12-01T18:00+02:00', '2026-12-01T18:00Z', '2026-12-01T18:00:00+0200', '2026-12-01T18:00:00 +02:00'],
  ...['2026-12-01T24:00', '2026-12-01T24:00:00Z', '2026-12-01T18:00:00,5Z', '2026-12-01T18', '2026-12-01T18:00:61'],
  ...['2026-11-31', '2027-02-29T00:00:00Z', '2026-12-01T18:30:60Z', '0000-01-01', '+002026-12-01T18:00:00Z'],
  ...[' 2026-12-01', '2026-12-01 ', '2026-12-01T18:00:00+24:00', '1764547200000', 'Tue, 01 Dec 2026 18:00:00 GMT'],
];

describe('--until', () => {
  test.each([
    ['2026-12-01', '2026-12-01T00:00:00.000Z'],
    ['2026-12-01T18:00', '2026-12-01T18:00:00.000Z'],
    ['2026-12-01 18:00:30', '2026-12-01T18:00:30.000Z'],
    ['2026-12-01T18:00:00+02:00', '2026-12-01T16:00:00.000Z'],
    ['2026-12-01T18:00:00.5Z', '2026-12-01T18:00:00.500Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2026-12-01t18:00:00z', '2026-12-01T18:00:00.000Z'],
    ['2026-12-31T23:59:60Z', '2026-12-31T23:59:59.999Z'],
    ['2026-12-01T18:00:00.123456789-05:30', '2026-12-01T23:30:00.123Z'],
  ])('%s', (text, timestamp) => expect(parseTime('until', text)).toBe(timestamp));

  test.each(['', 'tomorrow', '2026-13-01', '2026-02-30', '01.12.2026', '2026-12-01T25:00', '2h', ...LAX])(
    '%j is wrong usage',
    (text) => expect(() => parseTime('until', text)).toThrow('--until takes a time'),
  );
});

test('--since also takes how long ago', () => {
  expect(parseTimeOrAgo('since', '90m', NOW)).toBe('2026-11-20T10:30:00.000Z');
  expect(parseTimeOrAgo('since', '2026-11-19', NOW)).toBe('2026-11-19T00:00:00.000Z');
});

test('numbers are whole, and may be grouped', () => {
  expect(parseWholeNumber('limit', '1000')).toBe(1_000);
  expect(parseWholeNumber('limit', '1_000_000')).toBe(1_000_000);
  expect(parseWholeNumber('limit', '1,000')).toBe(1_000);
  for (const text of ['', '1.5', 'ten', '1e3', '0x10', '1,00', '99999999999999999999']) {
    expect(() => parseWholeNumber('limit', text), text).toThrow('--limit takes a whole number.');
  }
});

test('an address or a range is told from a user', () => {
  for (const text of ['10.0.0.1', '198.51.100.0/24', '2001:db8::1', '2001:db8::/32', '::ffff:10.0.0.1']) {
    expect(isAddress(text), text).toBe(true);
  }
  for (const text of ['alice', '10.0.0.256', '198.51.100.0/33', '2001:db8::/129', '10.0.0.0/', '1/2/3', '']) {
    expect(isAddress(text), text).toBe(false);
  }
  for (const text of ['10.0.0.256', '198.51.100.0/33', '10.0.0.', '2001:db8::/129']) {
    expect(isLikelyAddress(text), text).toBe(true);
  }
  for (const text of ['alice', 'alice@example.com', 'user-10', 'auth0|7', 'team/alice']) {
    expect(isLikelyAddress(text), text).toBe(false);
  }
});
