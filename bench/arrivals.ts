import { setTimeout as wait } from 'node:timers/promises';
import type { Limiter, Rule } from './limiters';

/** Times of a request in milliseconds. The decision was made between the two. */
export interface Arrival {
  sent: number;
  answered: number;
  admitted: boolean;
}

/** Bursts by time (in windows) and size (in limits), before a stream of 1.5 limits per window. */
const BURSTS: readonly (readonly [at: number, size: number])[] = [
  [0, 0.01],
  [0.9, 1],
  [1.03, 1],
  [1.5, 0.5],
  [1.95, 1],
  [2.1, 1],
];
const STREAM = { from: 2.3, to: 4, rate: 1.5 };

export const ARRIVALS_IN_WORDS =
  'one request at the beginning of a window of the wall clock, a limit of requests after 0.9 windows, another after 1.03, half of one after 1.5, one each after 1.95 and 2.1, and from 2.3 to 4 windows a steady stream of 1.5 limits a window';

/** Waits for the start of a window, then sends the requests of one client. */
export async function play({ admits }: Limiter, client: string, { limit, seconds }: Rule): Promise<Arrival[]> {
  const length = seconds * 1_000;
  const start = performance.now() + length - (Date.now() % length);
  const one = async (): Promise<Arrival> => {
    const sent = performance.now();
    const admitted = await admits(client);
    return { sent, answered: performance.now(), admitted };
  };
  const gap = 1 / (STREAM.rate * limit);
  const count = Math.floor((STREAM.to - STREAM.from) / gap);
  const stream = Array.from({ length: count }, (_, i) => [STREAM.from + i * gap, 1] as const);
  const bursts = BURSTS.map(([at, size]) => [at, Math.round(size * limit)] as const);
  const arrivals: Promise<Arrival>[] = [];
  for (const [at, size] of [...bursts, ...stream]) {
    const left = start + at * length - performance.now();
    if (left > 0) await wait(left);
    for (let i = 0; i < size; i += 1) arrivals.push(one());
  }
  return Promise.all(arrivals);
}

export interface Exactness {
  /** Lower bound of the admissions in one interval of a window's length. */
  most: number;
  /** Refusals although an exact sliding window would certainly have had room, given this limiter's own admissions. */
  wronglyRefused: number;
  refused: number;
}

/** Counts what is certain, no matter when within its call each request was decided. */
export function judge(arrivals: readonly Arrival[], { limit, seconds }: Rule): Exactness {
  const length = seconds * 1_000;
  const admitted = arrivals.filter((arrival) => arrival.admitted);
  const refused = arrivals.filter((arrival) => !arrival.admitted);
  const within = (first: Arrival) => {
    return admitted.filter(({ sent, answered }) => sent >= first.sent && answered < first.sent + length).length;
  };
  const before = (refusal: Arrival) => {
    return admitted.filter(({ sent, answered }) => answered > refusal.sent - length && sent < refusal.answered).length;
  };
  return {
    most: Math.max(0, ...admitted.map(within)),
    wronglyRefused: refused.filter((refusal) => before(refusal) < limit).length,
    refused: refused.length,
  };
}

export const EXACTNESS_HEAD = ['most in a window', 'refused although there was room'];

export function exactnessCells(exactness: Exactness | null | undefined): string[] {
  if (!exactness) return ['', ''];
  const { most, wronglyRefused, refused } = exactness;
  return [String(most), `${wronglyRefused} of ${refused}`];
}

/** Returns the run with the most admissions and the one with the most wrong refusals. */
export async function worst(limiter: Limiter, rule: Rule, plays: number): Promise<Exactness> {
  const seen: Exactness[] = [];
  for (let i = 0; i < plays; i += 1) seen.push(judge(await play(limiter, `client ${i}`, rule), rule));
  const byWrong = seen.toSorted((one, other) => other.wronglyRefused - one.wronglyRefused);
  const { wronglyRefused = 0, refused = 0 } = byWrong[0] ?? {};
  return { most: Math.max(...seen.map(({ most }) => most)), wronglyRefused, refused };
}
