import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TimestampInput } from '@/lib/contract/fields/timestamp';

describe('a time in a request', () => {
  it.each([
    ['2026-11-27T00:00:00Z', '2026-11-27T00:00:00.000Z'],
    ['2026-11-27t00:00:00z', '2026-11-27T00:00:00.000Z'],
    ['2026-11-27t02:30:00.5+02:30', '2026-11-27T00:00:00.500Z'],
    ['2026-11-27T00:00:00.123456789Z', '2026-11-27T00:00:00.123Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2016-12-31t23:59:60.25z', '2016-12-31T23:59:59.999Z'],
    ['1990-12-31T15:59:60-08:00', '1990-12-31T23:59:59.999Z'],
  ])('%s is read', (text, expected) => {
    expect(new Date(TimestampInput.parse(text)).toISOString()).toBe(expected);
  });

  it.each([
    '2026-11-27 00:00:00Z',
    '2026-11-27T00:00Z',
    '2026-11-27T00:00:00',
    '2026-11-27T24:00:00Z',
    '2026-11-27T00:00:61Z',
    '2027-01-01T00:00:60Z',
    '2027-01-01T23:59:60+01:00',
    '2027-02-30T23:59:60Z',
    '2027-01-01T23:59:60',
    '2026-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-11-27T00:00:00+0200',
    '2026-11-27T00:00:00Zz',
    '',
  ])('%s is refused', (text) => {
    expect(TimestampInput.safeParse(text).success).toBe(false);
  });

  it('is a date-time in the OpenAPI document', () => {
    expect(z.toJSONSchema(TimestampInput, { io: 'input' })).toMatchObject({ type: 'string', format: 'date-time' });
  });
});
