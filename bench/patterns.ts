import { classify, compileRule } from '../lib/enforcement/classify';
import { median, table } from './rounds';

/**
 * Measures paths that no rule matches, the worst that an unauthenticated caller can send. All rules together fit into a
 * request body of 64 KiB.
 */
export async function run(): Promise<string> {
  const kinds: [string, number, (index: number) => string, (length: number) => string][] = [
    ['`/v1/things-7/:id`', 1_000, (index) => `/v1/things-${index}/:id`, (length) => path('/v1/', 'a', length)],
    ['`/:id/*/items-7`', 1_000, (index) => `/:id/*/items-${index}`, (length) => path('/1/', 'items-', length)],
    ['`/*a*a*a*a*7x:n`', 1_000, (index) => `/*a*a*a*a*${index}x:n`, (length) => path('/', 'a', length)],
    [
      '`/*aaa…7b*`, 1,000 characters',
      60,
      (index) => `/*${'a'.repeat(990)}${index}b*`,
      (length) => path('/', 'a', length),
    ],
  ];
  const rows = kinds.map(([name, count, rule, sent]) => {
    const rules = Array.from({ length: count }, (_, index) =>
      compileRule({ method: '*', path: rule(index), class: 'sensitive' }),
    );
    return [
      name,
      count.toLocaleString('en-US'),
      ...[128, 1_024, 8_192].map((length) => `${measure(() => classify(rules, 'GET', sent(length)).rule)} ms`),
    ];
  });
  return table(['rules like', 'rules', '128 characters', '1 KiB', '8 KiB'], rows);
}

function path(start: string, repeated: string, length: number): string {
  return `${start}${repeated.repeat(length)}`.slice(0, length);
}

/** Returns the processor time of one classification in ms, median of 9. */
function measure(work: () => number | null): string {
  const times = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage();
    if (work() !== null) throw new Error('A rule matched that should not.');
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return median(times).toFixed(2);
}
