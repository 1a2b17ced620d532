import type { Activity } from '@/lib/contract/activity';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import { MINUTE } from '@/lib/units';

const MINUTES = 60;

interface HourCounts {
  /** Number of allowed requests. Null if they are not counted. */
  allowed: number | null;
  refused: number;
}

/** A caller's last hour, from counters and logged refusals. */
export interface Hour extends HourCounts {
  /** Null stands for requests that only named limits decided. */
  classes: readonly (HourCounts & { class: Activity['classes'][number]['class'] | null })[];
  /** One slot per minute, the current minute last. `value` is the number of all recorded requests. */
  slots: readonly { at: number; value: number; refused: number }[];
  /** True if all numbers are lower bounds. */
  atLeast: boolean;
}

interface HourFacts {
  /** Counters of the last hour. Null if only the log is available. */
  activity: Activity | null;
  /** Logged refusals, newest first. */
  refusals: readonly LoggedDecision[];
  /** True if older refusals may be missing. */
  cut: boolean;
  /** Time in milliseconds. */
  now: number;
}

/**
 * Combines counters and log. Both count per caller in their own way under attack, so the larger number is used. Only the
 * log has the refusals of the current minute.
 */
export function computeHour({ activity, refusals, cut, now }: HourFacts): Hour {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const end = Math.ceil(now / MINUTE) * MINUTE;
  const recent = refusals.filter(({ at }) => Date.parse(at) >= end - MINUTES * MINUTE);
  const counted = new Map(activity?.minutes.map((minute) => [Date.parse(minute.start), minute]));
  const slots = Array.from({ length: MINUTES }, (_, index) => {
    const at = end - (MINUTES - index) * MINUTE;
    const logged = sum(
      recent.filter((one) => Math.floor(Date.parse(one.at) / MINUTE) * MINUTE === at).map(({ count }) => count),
    );
    const refused = Math.max(counted.get(at)?.refused ?? 0, logged);
    return { at, value: (counted.get(at)?.allowed ?? 0) + refused, refused };
  });
  const scopes = activity?.type === 'api_key' ? (['all'] as const) : [...ENDPOINT_CLASSES, null];
  const classes = scopes
    .map((name) => {
      const counted = activity?.classes.find((one) => one.class === name);
      const logged = sum(recent.filter((one) => name === 'all' || one.class === name).map(({ count }) => count));
      const allowed = activity === null ? null : (counted?.allowed ?? 0);
      return { class: name, allowed, refused: Math.max(counted?.refused ?? 0, logged) };
    })
    .filter(({ allowed, refused }) => refused > 0 || (allowed ?? 0) > 0);
  return {
    allowed: activity === null ? null : sum(classes.map(({ allowed }) => allowed ?? 0)),
    refused: sum(classes.map(({ refused }) => refused)),
    classes,
    slots,
    atLeast: activity?.complete === false || (cut && recent.length === refusals.length),
  };
}
