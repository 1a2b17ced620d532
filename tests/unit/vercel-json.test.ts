import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '@/lib/api/operations';
import { METHODS } from '@/lib/http/methods';

/** Values that a field of a schedule matches, or null if it is malformed. The platform takes no names of days. */
function valuesOf(field: string, least: number, most: number): number[] | null {
  const parts = field.split(',').map((part) => /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part));
  const values = new Set<number>();
  for (const part of parts) {
    if (part === null) return null;
    const [, first = String(least), last = part[1] ?? String(most), step = '1'] = part;
    const [from, to] = [Number(first), Number(last)];
    if (from < least || to > most || from > to || Number(step) < 1) return null;
    for (let value = from; value <= to; value += Number(step)) values.add(value);
  }
  return [...values];
}

const BOUNDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/** Most calls of a schedule on one day; null if it is malformed. */
function callsADay(schedule: string): number | null {
  const fields = schedule.split(' ');
  const values = BOUNDS.map(([least, most], index) => valuesOf(fields[index] ?? '', least, most));
  const [minutes, hours] = values;
  if (fields.length !== BOUNDS.length || values.includes(null) || !minutes || !hours) return null;
  // The platform refuses a day of the month together with a day of the week.
  if (fields[2] !== '*' && fields[4] !== '*') return null;
  return minutes.length * hours.length;
}

/** What the free plan deploys, of the keys that are used: any other key fails here until its rule is added. */
const FreePlan = z.strictObject({
  $schema: z.literal('https://openapi.vercel.sh/vercel.json'),
  framework: z.literal('nextjs'),
  buildCommand: z.string().max(256),
  crons: z
    .array(
      z.strictObject({
        path: z.string().startsWith('/').max(512),
        schedule: z.string().refine((schedule) => callsADay(schedule) === 1, 'must match one time of a day'),
      }),
    )
    .max(2),
});

describe('vercel.json', () => {
  const file: unknown = JSON.parse(readFileSync('vercel.json', 'utf8'));

  it('deploys on the free plan, whose schedules run at most once a day', () => {
    expect(FreePlan.safeParse(file).error).toBeUndefined();
  });

  it('calls what a GET without a body answers', () => {
    const called = FreePlan.parse(file).crons.map(({ path }) =>
      OPERATIONS.find((operation) => operation.path === path && operation.method === METHODS[0]),
    );
    expect(called.map((operation) => operation?.access)).toEqual(['cron']);
  });

  it.each([
    '17 * * * *',
    '*/5 3 * * *',
    '0,30 3 * * *',
    '17 3,15 * * *',
    '17 */6 * * *',
    '17 0-5 * * *',
    '17 3 1 * 1',
    '17 3 * *',
    '17 3 * * MON',
    '@daily',
    '60 3 * * *',
  ])('would not with the schedule %s', (schedule) => {
    const crons = [{ ...FreePlan.parse(file).crons[0], schedule }];
    expect(FreePlan.safeParse({ ...FreePlan.parse(file), crons }).success).toBe(false);
  });
});
