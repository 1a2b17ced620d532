import type { Attempt } from '@/lib/limiter/meter';
import type { Seconds } from '@/lib/units';

/**
 * A counter that an item asks for room in: number of the item, key, window in seconds (0: month), limit (-1: none), what
 * one attempt costs, how many attempts. An item is a run of attempts that are alike.
 */
type Ask = readonly [item: number, key: string, seconds: Seconds, limit: number, cost: number, times: number];

/** Attempts of which no two share a counter, unless they are alike: a set that one statement can judge. */
export type Wave = Ask[];

interface Open {
  readonly wave: number;
  readonly likeness: string;
  readonly cost: number;
  readonly counters: readonly (readonly [key: string, seconds: Seconds, limit: number])[];
  times: number;
}

/**
 * Sorts a group into waves, such that judging wave by wave comes to the same as judging one by one: an attempt comes
 * after all earlier ones that share a counter with it, and joins the last of them where they are alike. So a group needs
 * as many statements as its busiest counter has different attempts, and one when one client sends all of it.
 */
export function waves(attempts: readonly Attempt[]): Wave[] {
  const opened: Open[] = [];
  const latest = new Map<string, Open>();
  for (const attempt of attempts) {
    if (attempt.cost === 0) continue;
    const counters = countersOf(attempt);
    const before = counters.map(([key]) => latest.get(key));
    const likeness = JSON.stringify([attempt.cost, counters]);
    const [first] = before;
    if (first?.likeness === likeness && before.every((one) => one === first)) {
      first.times += 1;
      continue;
    }
    const wave = Math.max(-1, ...before.map((one) => one?.wave ?? -1)) + 1;
    const open: Open = { wave, likeness, cost: attempt.cost, counters, times: 1 };
    opened.push(open);
    for (const [key] of counters) latest.set(key, open);
  }
  return inWaves(opened);
}

/** The counters of an attempt, each once, with the least of the limits that it has to fit under. */
function countersOf({ meters }: Attempt): Open['counters'] {
  const counters = new Map<string, [string, Seconds, number]>();
  for (const { key, window, limit, unlimited } of meters) {
    const bound = unlimited === true ? -1 : limit;
    const known = counters.get(key);
    if (known === undefined) counters.set(key, [key, window.kind === 'month' ? 0 : window.seconds, bound]);
    else if (bound >= 0) known[2] = known[2] < 0 ? bound : Math.min(known[2], bound);
  }
  return [...counters.values()];
}

function inWaves(opened: readonly Open[]): Wave[] {
  const result: Wave[] = [];
  for (const [item, { wave, cost, counters, times }] of opened.entries()) {
    const place = result[wave] ?? [];
    result[wave] = place;
    for (const [key, seconds, limit] of counters) place.push([item, key, seconds, limit, cost, times]);
  }
  return result;
}
