import { describe, expect, it } from 'vitest';
import { verifyPassword } from '@/lib/auth/password';
import { digestSecret, isConfiguredSecret } from '@/lib/auth/secret-hash';

/** Welch's t over two samples without their slowest tenth, which is the machine's and not ours. */
function welch(a: number[], b: number[]): number {
  const trim = (sample: number[]) => sample.sort((x, y) => x - y).slice(0, Math.floor(sample.length * 0.9));
  const moments = (sample: number[]) => {
    const mean = sample.reduce((sum, x) => sum + x, 0) / sample.length;
    return { mean, spread: sample.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (sample.length - 1) / sample.length };
  };
  const [first, second] = [moments(trim(a)), moments(trim(b))];
  return Math.abs(first.mean - second.mean) / Math.sqrt(first.spread + second.spread);
}

describe('comparing a secret', () => {
  const known = 'k'.repeat(64);
  const isSame = (given: string) => isConfiguredSecret(digestSecret(given), known);

  it('never throws, whatever the lengths', () => {
    for (const given of ['', 'k', 'k'.repeat(63), 'k'.repeat(65), '\u{1F511}', '\uD800', 'x'.repeat(10_000)]) {
      expect(isSame(given)).toBe(false);
    }
    expect(isSame(known)).toBe(true);
  });

  it('takes as long for a right beginning as for a random one', () => {
    const near = `${'k'.repeat(63)}x`;
    const far = 'x'.repeat(64);
    const measure = (given: string) => {
      const start = process.hrtime.bigint();
      for (let i = 0; i < 10; i += 1) isSame(given);
      return Number(process.hrtime.bigint() - start);
    };
    for (let i = 0; i < 5_000; i += 1) measure(i % 2 === 0 ? near : far);
    // A leak shows every time; a busy machine does not show the same thing three times.
    const smallest = Math.min(
      ...Array.from({ length: 3 }, () => {
        const samples: Record<string, number[]> = { [near]: [], [far]: [] };
        for (let i = 0; i < 10_000; i += 1) {
          const order = i % 2 === 0 ? [near, far] : [far, near];
          for (const given of order) samples[given]?.push(measure(given));
        }
        return welch(samples[near] ?? [], samples[far] ?? []);
      }),
    );
    expect(smallest).toBeLessThan(4.5);
  });

  it('does the work of a password also where there is no account', async () => {
    const hash = '$argon2id$v=19$m=19456,t=2,p=1$EZFsA0hGgafEgijWBMX8Jg$5y6tXGQrUzZJccJMX05tKfMZr1OcObDJYkTWLXiyQ+4';
    const median = async (passwordHash: string | null) => {
      const times: number[] = [];
      for (let i = 0; i < 15; i += 1) {
        const start = performance.now();
        expect(await verifyPassword(`wrong ${i}`, passwordHash)).toBe(false);
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[7] ?? 0;
    };
    const [known, unknown] = [await median(hash), await median(null)];
    // Without the work it would be hundreds of times quicker.
    expect(unknown).toBeGreaterThan(known / 3);
    expect(unknown).toBeLessThan(known * 3);
  });
});
