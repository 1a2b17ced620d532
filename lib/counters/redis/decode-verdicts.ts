import type { Attempt, Meter, Reading, Verdict } from '@/lib/limiter/meter';
import { monthAt, monthStart, slotAt, slotGone } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** The verdicts in a reply of `COMMIT_SCRIPT`. @throws RangeError when numbers are missing */
export function decodeVerdicts(
  attempts: readonly Attempt[],
  now: Millis,
  reply: readonly (number | string)[],
): Verdict[] {
  let position = 1;
  const next = (): number => {
    const value = reply[position++];
    if (value === undefined) throw new RangeError('The reply of the script is too short.');
    return Number(value);
  };
  return attempts.map(({ meters, cost }): Verdict => {
    const admitted = next() === 1;
    const readings = meters.map((meter) => {
      const used = next();
      const newest = next();
      return reading(meter, cost, now, used, newest, admitted ? null : next());
    });
    return { admitted, readings };
  });
}

/** @param leaving age of the slot that makes room, -1: none; null when the attempt was admitted */
function reading(
  meter: Meter,
  cost: number,
  now: Millis,
  used: number,
  newest: number,
  leaving: number | null,
): Reading {
  const { limit } = meter;
  const refused = leaving !== null && meter.unlimited !== true && used + cost > limit;
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    reset: used === 0 ? now : gone(meter, now, newest),
    retryAt: refused ? (cost > limit ? Number.POSITIVE_INFINITY : gone(meter, now, leaving)) : null,
  };
}

/** When a slot of this age leaves the window; a month, when it ends. */
function gone({ window }: Meter, now: Millis, age: number): Millis {
  if (window.kind === 'month') return monthStart(monthAt(now) + 1);
  return age < 0 ? now : slotGone(slotAt(now, window.seconds) - age, window.seconds);
}
