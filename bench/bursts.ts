import { setTimeout as wait } from 'node:timers/promises';
import type { Limiter, Rule } from './limiters';

/** Rule that the bursts are sent against. */
export const RULE = { limit: 100, seconds: 3 } as const satisfies Rule;
export const AT_ONCE = 400;
const ROUNDS = 3;
const ATTEMPTS = 10;

/** Caption for `mostAdmitted` of both bursts. */
export const BURSTS = `Limit ${RULE.limit} in ${RULE.seconds} s for one client, the most of ${ROUNDS} runs.`;
export const OVER_AN_EDGE = `Over an edge: one request begins a window, ${RULE.limit} come in its last tenth and ${RULE.limit} just after it; counted is what was admitted in those two bursts, which lie about an eighth of a window apart.`;

/** Returns the admissions of one burst. Null if the machine was too slow for a meaningful result. */
type Burst = (limiter: Limiter, client: string) => Promise<number | null>;

/**
 * Returns the most that each limiter admits of a burst over several runs. The limiters run concurrently, each in its
 * own windows.
 */
export function mostAdmitted(limiters: readonly Limiter[], name: string, burst: Burst): Promise<number[]> {
  return Promise.all(
    limiters.map(async (limiter) => {
      const counts: number[] = [];
      for (let attempt = 0; counts.length < ROUNDS; attempt += 1) {
        if (attempt === ROUNDS + ATTEMPTS) throw new Error('The machine is too busy for a burst.');
        const count = await burst(limiter, `${name}-${attempt}`);
        if (count === null) process.stderr.write(`${limiter.name}: a burst took too long, which is left out\n`);
        else counts.push(count);
      }
      return Math.max(...counts);
    }),
  );
}

/** Formats a count, and its ratio to the limit. */
export function compareWithLimit(count: number): string[] {
  return [`${count}`, `${(count / RULE.limit).toFixed(2)} ×`];
}

/** Sends many requests at the same time. A burst that takes half a window is discarded. */
export async function sendBurst({ admits }: Limiter, client: string): Promise<number | null> {
  const start = performance.now();
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => admits(client)));
  return performance.now() - start < RULE.seconds * 500 ? answers.filter(Boolean).length : null;
}

/** Sends two bursts around the end of a window, within one interval of its length. */
export async function sendOverEdge({ admits }: Limiter, client: string): Promise<number | null> {
  const length = RULE.seconds * 1_000;
  const start = performance.now();
  await admits(client);
  let admitted = 0;
  const burst = async () => {
    const answers = await Promise.all(Array.from({ length: RULE.limit }, () => admits(client)));
    admitted += answers.filter(Boolean).length;
  };
  await wait(start + length * 0.9 - performance.now());
  await burst();
  await wait(start + length * 1.03 - performance.now());
  await burst();
  return performance.now() - start < length * 1.85 ? admitted : null;
}
