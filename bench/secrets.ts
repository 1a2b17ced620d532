import { verifyPassword } from '../lib/auth/password';
import { digestSecret, isConfiguredSecret } from '../lib/auth/secret-hash';
import { median, table } from './rounds';

const ROUNDS = 5;
const SAMPLES = 20_000;

/**
 * Tests whether the duration of a comparison reveals anything about a secret (promise 22), and whether that of a
 * sign-in reveals that an account exists.
 */
export async function run(): Promise<string> {
  const known = 'k'.repeat(64);
  const near = `${'k'.repeat(63)}x`;
  const far = 'x'.repeat(64);
  const ts = Array.from({ length: ROUNDS }, () => {
    const samples = new Map([near, far].map((given) => [given, [] as number[]]));
    for (let i = 0; i < SAMPLES; i += 1) {
      for (const given of i % 2 === 0 ? [near, far] : [far, near])
        samples.get(given)?.push(timeComparisons(given, known));
    }
    return welch(samples.get(near) ?? [], samples.get(far) ?? []);
  });
  const hash = '$argon2id$v=19$m=19456,t=2,p=1$EZFsA0hGgafEgijWBMX8Jg$5y6tXGQrUzZJccJMX05tKfMZr1OcObDJYkTWLXiyQ+4';
  const passwords: number[][] = [[], []];
  for (let i = 0; i < 60; i += 1) {
    for (const given of i % 2 === 0 ? [hash, null] : [null, hash]) {
      passwords[given === null ? 1 : 0]?.push(await timeVerification(`wrong ${i}`, given));
    }
  }
  return [
    `Welch's t of ${(SAMPLES * 10).toLocaleString('en-US')} comparisons each with a secret that is right but for its last character and one that is wrong from the first, without the slowest tenth; ${ROUNDS} rounds. Below 4.5 nothing is told; a leak shows in every round.`,
    table(['comparison', ...ts.map((_, i) => `round ${i + 1}`)], [['\\|t\\|', ...ts.map((t) => t.toFixed(2))]]),
    table(
      ['password check', 'median'],
      [
        ['of an account', `${median(passwords[0] ?? []).toFixed(1)} ms`],
        ['without an account', `${median(passwords[1] ?? []).toFixed(1)} ms`],
      ],
    ),
  ].join('\n\n');
}

/** Returns the nanoseconds of ten comparisons. */
function timeComparisons(given: string, known: string): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < 10; i += 1) isConfiguredSecret(digestSecret(given), known);
  return Number(process.hrtime.bigint() - start);
}

async function timeVerification(password: string, hash: string | null): Promise<number> {
  const start = performance.now();
  await verifyPassword(password, hash);
  return performance.now() - start;
}

/** Returns Welch's t of two samples without their slowest tenth, which is noise of the machine. */
function welch(a: number[], b: number[]): number {
  const trim = (sample: number[]) => sample.toSorted((x, y) => x - y).slice(0, Math.floor(sample.length * 0.9));
  const moments = (sample: number[]) => {
    const mean = sample.reduce((sum, x) => sum + x, 0) / sample.length;
    return { mean, spread: sample.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (sample.length - 1) / sample.length };
  };
  const [first, second] = [moments(trim(a)), moments(trim(b))];
  return Math.abs(first.mean - second.mean) / Math.sqrt(first.spread + second.spread);
}
