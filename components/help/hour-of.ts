import type { Activity } from '@/lib/contract/activity';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const MINUTE = 60_000;
const MINUTES = 60;

interface HourCounts {
  /** Null where allowed requests are not counted. */
  allowed: number | null;
  refused: number;
}

/** The last hour of somebody, from what is counted and what is logged of it. */
export interface Hour extends HourCounts {
  classes: readonly (HourCounts & { class: Activity['classes'][number]['class'] })[];
  /** One for each minute, the running one last; `value` is all requests of it that are known. */
  slots: readonly { at: number; value: number; refused: number }[];
  /** All numbers are lower bounds. */
  atLeast: boolean;
}

interface HourFacts {
  /** Null where nothing but the log is known. */
  activity: Activity | null;
  /** Logged refusals, the newest first. */
  refusals: readonly LoggedDecision[];
  /** Whether older refusals may be missing from them. */
  cut: boolean;
  /** Milliseconds. */
  now: number;
}

/**
 * Allowed requests are counted by whole minutes only. Refusals are also in the log, at once, but under attack not all
 * of them: of the two numbers the larger one is closer.
 */
export function hourOf({ activity, refusals, cut, now }: HourFacts): Hour {
  const end = Math.ceil(now / MINUTE) * MINUTE;
  const recent = refusals.filter(({ at }) => Date.parse(at) >= end - MINUTES * MINUTE);
  const counted = new Map(activity?.minutes.map((minute) => [Date.parse(minute.start), minute]));
  const slots = Array.from({ length: MINUTES }, (_, index) => {
    const at = end - (MINUTES - index) * MINUTE;
    const logged = recent.filter((one) => Math.floor(Date.parse(one.at) / MINUTE) * MINUTE === at).length;
    const refused = Math.max(counted.get(at)?.refused ?? 0, logged);
    return { at, value: (counted.get(at)?.allowed ?? 0) + refused, refused };
  });
  const scopes = activity?.type === 'api_key' ? (['all'] as const) : ENDPOINT_CLASSES;
  const classes = scopes
    .map((name) => {
      const known = activity?.classes.find((one) => one.class === name);
      const logged = recent.filter((one) => name === 'all' || one.class === name).length;
      const allowed = activity === null ? null : (known?.allowed ?? 0);
      return { class: name, allowed, refused: Math.max(known?.refused ?? 0, logged) };
    })
    .filter(({ allowed, refused }) => refused > 0 || (allowed ?? 0) > 0);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    allowed: activity === null ? null : sum(classes.map(({ allowed }) => allowed ?? 0)),
    refused: sum(classes.map(({ refused }) => refused)),
    classes,
    slots,
    atLeast: activity?.complete === false || (cut && recent.length === refusals.length),
  };
}
