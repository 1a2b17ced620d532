import { describe, expect, it } from 'vitest';
import { computeHour } from '@/components/help/compute-hour';
import type { Activity } from '@/lib/contract/activity';
import { loggedRefusal } from '../../../fixtures/decision-event';

const NOW = Date.UTC(2026, 10, 20, 12, 30, 15);

const ACTIVITY: Activity = {
  type: 'ip',
  identifier: '203.0.113.7',
  from: '2026-11-20T11:30:00.000Z',
  to: '2026-11-20T12:30:00.000Z',
  complete: true,
  classes: [
    { class: 'read', allowed: 40, refused: 2 },
    { class: 'auth', allowed: 5, refused: 0 },
  ],
  minutes: [
    { start: '2026-11-20T12:00:00.000Z', allowed: 25, refused: 0 },
    { start: '2026-11-20T12:29:00.000Z', allowed: 20, refused: 2 },
  ],
};
const refusedAt = (...times: string[]) =>
  times.map((time) => loggedRefusal('203.0.113.7', { at: `2026-11-20T${time}.000Z` }));

describe('the last hour of somebody', () => {
  it('adds up what was allowed and refused, with a bar a minute', () => {
    const hour = computeHour({ activity: ACTIVITY, refusals: refusedAt('12:29:01'), cut: false, now: NOW });
    expect(hour).toMatchObject({ allowed: 45, refused: 2, atLeast: false });
    expect(hour.slots).toHaveLength(60);
    expect(hour.slots.filter(({ value }) => value > 0)).toEqual([
      { at: Date.parse('2026-11-20T12:00:00Z'), value: 25, refused: 0 },
      { at: Date.parse('2026-11-20T12:29:00Z'), value: 22, refused: 2 },
    ]);
  });

  it('takes refusals of the running minute from the log, where they are at once', () => {
    const hour = computeHour({
      activity: ACTIVITY,
      refusals: refusedAt('12:30:10', '12:30:05', '12:29:01', '12:29:00'),
      cut: false,
      now: NOW,
    });
    expect(hour.slots.at(-1)).toEqual({ at: Date.parse('2026-11-20T12:30:00Z'), value: 2, refused: 2 });
    expect(hour.classes).toContainEqual({ class: 'read', allowed: 40, refused: 4 });
  });

  it('leaves out refusals that are older', () => {
    expect(computeHour({ activity: null, refusals: refusedAt('11:29:59'), cut: false, now: NOW }).refused).toBe(0);
  });

  it('says nothing of allowed requests where only the log is known', () => {
    const hour = computeHour({ activity: null, refusals: refusedAt('12:00:00'), cut: false, now: NOW });
    expect(hour).toMatchObject({ allowed: null, refused: 1, classes: [{ class: 'read', allowed: null, refused: 1 }] });
  });

  it('is a lower bound where not everybody was counted one by one, and where the log goes on', () => {
    const of = (activity: Activity | null, cut: boolean) =>
      computeHour({ activity, refusals: refusedAt('12:00:00'), cut, now: NOW }).atLeast;
    expect(of({ ...ACTIVITY, complete: false }, false)).toBe(true);
    expect(of(null, true)).toBe(true);
    expect(of(ACTIVITY, false)).toBe(false);
  });

  it('has one line for a key, which is counted in all classes together', () => {
    const activity: Activity = { ...ACTIVITY, type: 'api_key', classes: [{ class: 'all', allowed: 9, refused: 1 }] };
    const { classes } = computeHour({ activity, refusals: refusedAt('12:00:00', '12:00:01'), cut: false, now: NOW });
    expect(classes).toEqual([{ class: 'all', allowed: 9, refused: 2 }]);
  });
});
