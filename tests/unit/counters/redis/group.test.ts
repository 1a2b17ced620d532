import { describe, expect, it } from 'vitest';
import { PREFIX } from '@/lib/counters/redis/keys';
import { decodeVerdicts, encodeGroup } from '@/lib/counters/redis/script-messages';
import { StoreUnavailable } from '@/lib/counters/store';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { createMonths } from '@/lib/limiter/month-anchor';
import { computeSlot, findSlotExpiry } from '@/lib/limiter/window';

const NOW = Date.UTC(2026, 10, 21, 12);
const meter = (key: string, limit: number, over: Partial<Meter> = {}): Meter => ({
  subject: 'ip',
  key,
  limit,
  window: { kind: 'sliding', seconds: 60 },
  ...over,
});
/** The reply of the script: the time, then these numbers. */
const packed = (...numbers: number[]) => Buffer.from(new Float64Array([NOW, ...numbers]).buffer);
const decode = (attempts: readonly Attempt[], reply: Buffer) => decodeVerdicts(attempts, reply).verdicts;
const month = (key: string, limit: number, over: Partial<Meter> = {}) =>
  meter(key, limit, { window: { kind: 'month' }, ...over });

describe('a group for the script', () => {
  it('names each counter once, and each attempt by its numbers', () => {
    const group: Attempt[] = [
      { cost: 2, meters: [meter('a', 5), month('q', 9, { unlimited: true })] },
      { cost: 0, meters: [] },
      { cost: 1, meters: [meter('b', 0, { window: { kind: 'sliding', seconds: 7 } }), meter('a', 6)] },
    ];
    const encoded = encodeGroup(group, NOW);
    expect(encoded.names).toEqual(['a', 'q', 'b'].map((key) => PREFIX + key));
    expect(JSON.parse(encoded.plan)).toEqual({
      windows: [[60], [0, 2026 * 12 + 10, Date.UTC(2026, 10), Date.UTC(2026, 11)], [7]],
      counters: [1, 2, 3],
      attempts: [[2, 1, 5, 2, -1], [0], [1, 3, 0, 1, 6]],
    });
    expect(JSON.parse(encodeGroup([], NOW).plan)).toEqual({ windows: [], counters: [], attempts: [] });
  });

  it('names each of its months, by the clock of the caller', () => {
    const days = [1, 1, 31].map((day, i) => month(`q${i}`, 9, { window: createMonths(day, 0) }));
    const { windows, counters } = JSON.parse(encodeGroup([{ cost: 1, meters: days }], NOW).plan);
    expect(windows).toEqual([
      [0, 2026 * 12 + 10, Date.UTC(2026, 10), Date.UTC(2026, 11)],
      [0, 2026 * 12 + 9, Date.UTC(2026, 9, 31), Date.UTC(2026, 10, 30)],
    ]);
    expect(counters).toEqual([1, 1, 2]);
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])('is invalid with a cost of %d', (cost) => {
    expect(() => encodeGroup([{ cost, meters: [] }], NOW)).toThrow('A cost is a whole number, at least 0.');
  });

  it('is invalid with two windows for one key', () => {
    const other = meter('a', 5, { window: { kind: 'sliding', seconds: 61 } });
    expect(() => encodeGroup([{ cost: 1, meters: [meter('a', 5), other] }], NOW)).toThrow('One key has one window.');
    expect(() => encodeGroup([{ cost: 1, meters: [meter('a', 5), month('a', 5)] }], NOW)).toThrow(
      'One key has one window.',
    );
    expect(encodeGroup([{ cost: 1, meters: [meter('a', 5), meter('a', 5)] }], NOW).names).toEqual([`${PREFIX}a`]);
  });
});

describe('the answer of the script', () => {
  const slot = computeSlot(NOW, 60);
  const gone = (age: number) => findSlotExpiry(slot - age, 60);

  it('is read number by number: admitted, then used and the age of the newest slot', () => {
    const attempts = [
      { cost: 1, meters: [meter('a', 5), month('q', 9)] },
      { cost: 1, meters: [meter('b', 5)] },
    ];
    expect(decode(attempts, packed(1, 3, 0, 9, -1, 1, Number.MAX_SAFE_INTEGER, 7))).toEqual([
      {
        admitted: true,
        readings: [
          { limit: 5, used: 3, remaining: 2, reset: gone(0), retryAt: null },
          { limit: 9, used: 9, remaining: 0, reset: Date.UTC(2026, 11), retryAt: null },
        ],
      },
      {
        admitted: true,
        readings: [{ limit: 5, used: Number.MAX_SAFE_INTEGER, remaining: 0, reset: gone(7), retryAt: null }],
      },
    ]);
  });

  it('has the age of the slot that makes room where it refused', () => {
    const attempts = [{ cost: 2, meters: [meter('a', 5), month('q', 9), meter('c', 5), meter('d', 1)] }];
    const reply = packed(0, 4, 1, 60, 8, -1, -1, 2, 3, -1, 0, -1, -1);
    expect(decode(attempts, reply)[0]?.readings).toEqual([
      { limit: 5, used: 4, remaining: 1, reset: gone(1), retryAt: gone(60) },
      { limit: 9, used: 8, remaining: 1, reset: Date.UTC(2026, 11), retryAt: Date.UTC(2026, 11) },
      { limit: 5, used: 2, remaining: 3, reset: gone(3), retryAt: null },
      { limit: 1, used: 0, remaining: 1, reset: NOW, retryAt: Number.POSITIVE_INFINITY },
    ]);
  });

  it('refuses by no meter that never refuses, and exactly above the limit', () => {
    const attempts = [{ cost: 2, meters: [meter('a', 1, { unlimited: true }), meter('b', 5), meter('c', 5)] }];
    const [verdict] = decode(attempts, packed(0, 7, 0, -1, 3, 0, -1, 4, 0, 0));
    expect(verdict?.readings.map(({ retryAt }) => retryAt)).toEqual([null, null, gone(0)]);
  });

  it('says now where no slot makes room', () => {
    const [verdict] = decode([{ cost: 1, meters: [meter('a', 1)] }], packed(0, 1, 0, -1));
    expect(verdict?.readings[0]?.retryAt).toBe(NOW);
  });

  it('begins with the time', () => {
    expect(decodeVerdicts([], packed())).toEqual({ now: NOW, settled: [], verdicts: [] });
  });

  it('must not end too early', () => {
    expect(() => decode([{ cost: 1, meters: [meter('a', 1)] }], packed(1, 1))).toThrow(
      new StoreUnavailable('Redis did not reply as the script does.'),
    );
  });
});
