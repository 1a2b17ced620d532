import { setImmediate as endOfTurn } from 'node:timers/promises';

/** Makes `waiting` decisions at a time. */
export interface Contender {
  name: string;
  decide: (waiting: number) => Promise<void>;
}

/**
 * Returns decisions per second. The driver frees memory at the end of an event-loop turn, which a contender that only
 * awaits promises never reaches. The measurement therefore includes the end of a turn, so that every contender pays for
 * its own garbage.
 */
export async function rate(contender: Contender, waiting: number, milliseconds: number): Promise<number> {
  const start = performance.now();
  let decided = 0;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    await contender.decide(waiting);
    decided += waiting;
    elapsed = performance.now() - start;
  }
  await endOfTurn();
  return (decided / (performance.now() - start)) * 1000;
}

/** Returns microseconds of CPU time per decision, which other load on the machine hardly changes. */
export async function cost(contender: Contender, waiting: number, milliseconds: number): Promise<number> {
  const { user, system } = process.cpuUsage();
  let decided = 0;
  await rate(
    {
      ...contender,
      decide: (count) => {
        decided += count;
        return contender.decide(count);
      },
    },
    waiting,
    milliseconds,
  );
  const used = process.cpuUsage();
  return (used.user + used.system - user - system) / decided;
}

/**
 * Runs the contenders in turn, round after round, so that other load affects all of them. The first round warms up.
 * Returns each one's median, or another summary of its rounds.
 */
export async function rounds(
  contenders: readonly Contender[],
  waiting: number,
  milliseconds: number,
  count = 5,
  standsFor: (rates: readonly number[]) => number = median,
  measure = rate,
): Promise<number[]> {
  const rates = contenders.map((): number[] => []);
  for (let round = 0; round <= count; round++) {
    for (const [i, contender] of contenders.entries()) {
      const result = await measure(contender, waiting, milliseconds);
      if (round > 0) rates[i]?.push(result);
    }
  }
  return rates.map(standsFor);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Renders a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

export function formatThousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
