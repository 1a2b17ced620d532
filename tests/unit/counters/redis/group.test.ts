import { describe, expect, it } from 'vitest';
import { decodeShort, decodeVerdicts, encodeGroup, encodeShort } from '@/lib/counters/redis/script-messages';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { slotAt, slotGone } from '@/lib/limiter/window';

const NOW = Date.UTC(2026, 10, 21, 12);
const meter = (key: string, limit: number, over: Partial<Meter> = {}): Meter => ({
  subject: 'ip',
  key,
  limit,
  window: { kind: 'sliding', seconds: 60 },
  ...over,
});
/** As the script packs them. */
const packed = (...numbers: number[]) => Buffer.from(new Float64Array(numbers).buffer);
const month = (key: string, limit: number, over: Partial<Meter> = {}) =>
  meter(key, limit, { window: { kind: 'month' }, ...over });

describe('a group for the script', () => {
  it('names each counter once, and each attempt by its numbers', () => {
    const group: Attempt[] = [
      { cost: 2, meters: [meter('a', 5), month('q', 9, { unlimited: true })] },
      { cost: 0, meters: [] },
      { cost: 1, meters: [meter('b', 0, { window: { kind: 'sliding', seconds: 7 } }), meter('a', 6)] },
    ];
    expect(encodeGroup(group)).toEqual({
      keys: ['a', 'q', 'b'],
      plan: JSON.stringify([3, 60, 0, 7, 2, 2, 1, 5, 2, -1, 0, 0, 1, 2, 3, 0, 1, 6]),
    });
    expect(encodeGroup([])).toEqual({ keys: [], plan: '[0]' });
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])('is invalid with a cost of %d', (cost) => {
    expect(() => encodeGroup([{ cost, meters: [] }])).toThrow('A cost is a whole number, at least 0.');
  });

  it('is invalid with two windows for one key', () => {
    const other = meter('a', 5, { window: { kind: 'sliding', seconds: 61 } });
    expect(() => encodeGroup([{ cost: 1, meters: [meter('a', 5), other] }])).toThrow('One key has one window.');
    expect(() => encodeGroup([{ cost: 1, meters: [meter('a', 5), month('a', 5)] }])).toThrow('One key has one window.');
    expect(encodeGroup([{ cost: 1, meters: [meter('a', 5), meter('a', 5)] }]).keys).toEqual(['a']);
  });
});

describe('the answer of the script', () => {
  const slot = slotAt(NOW, 60);
  const gone = (age: number) => slotGone(slot - age, 60);

  it('is read number by number: admitted, then used and the age of the newest slot', () => {
    const attempts = [
      { cost: 1, meters: [meter('a', 5), month('q', 9)] },
      { cost: 1, meters: [meter('b', 5)] },
    ];
    expect(decodeVerdicts(attempts, NOW, packed(1, 3, 0, 9, -1, 1, Number.MAX_SAFE_INTEGER, 7))).toEqual([
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
    expect(decodeVerdicts(attempts, NOW, reply)[0]?.readings).toEqual([
      { limit: 5, used: 4, remaining: 1, reset: gone(1), retryAt: gone(60) },
      { limit: 9, used: 8, remaining: 1, reset: Date.UTC(2026, 11), retryAt: Date.UTC(2026, 11) },
      { limit: 5, used: 2, remaining: 3, reset: gone(3), retryAt: null },
      { limit: 1, used: 0, remaining: 1, reset: NOW, retryAt: Number.POSITIVE_INFINITY },
    ]);
  });

  it('refuses by no meter that never refuses, and exactly above the limit', () => {
    const attempts = [{ cost: 2, meters: [meter('a', 1, { unlimited: true }), meter('b', 5), meter('c', 5)] }];
    const [verdict] = decodeVerdicts(attempts, NOW, packed(0, 7, 0, -1, 3, 0, -1, 4, 0, 0));
    expect(verdict?.readings.map(({ retryAt }) => retryAt)).toEqual([null, null, gone(0)]);
  });

  it('says now where no slot makes room', () => {
    const [verdict] = decodeVerdicts([{ cost: 1, meters: [meter('a', 1)] }], NOW, packed(0, 1, 0, -1));
    expect(verdict?.readings[0]?.retryAt).toBe(NOW);
  });

  it('must not end too early', () => {
    expect(() => decodeVerdicts([{ cost: 1, meters: [meter('a', 1)] }], NOW, packed(1, 1))).toThrow(
      new RangeError('The reply of the script is too short.'),
    );
  });
});

describe('attempts about different counters', () => {
  const short = (attempts: readonly Attempt[]) => {
    const encoded = encodeShort(attempts, NOW);
    return encoded && { keys: encoded.keys, plan: JSON.parse(encoded.plan) };
  };

  it('are each its cost, then the window and the limit of each meter', () => {
    const meters = [meter('a', 5), meter('b', 9, { unlimited: true, window: { kind: 'sliding', seconds: 7 } })];
    expect(short([{ cost: 2, meters }])).toEqual({ keys: ['a', 'b'], plan: [0, 0, 0, 2, 2, 60, 5, 7, -1] });
    expect(
      short([
        { cost: 2, meters },
        { cost: 0, meters: [meter('c', 1)] },
      ]),
    ).toEqual({
      keys: ['a', 'b', 'c'],
      plan: [0, 0, 0, 2, 2, 60, 5, 7, -1, 0, 1, 60, 1],
    });
  });

  it('name the month that the caller is in, and its ends', () => {
    expect(short([{ cost: 1, meters: [meter('a', 5), month('q', 9)] }])).toEqual({
      keys: ['a', 'q'],
      plan: [2026 * 12 + 10, Date.UTC(2026, 10), Date.UTC(2026, 11), 1, 2, 60, 5, 0, 9],
    });
  });

  it('are left to the other script without meters, with a key twice, and with a cost that is none', () => {
    expect(short([])).toBeNull();
    expect(short([{ cost: 1, meters: [] }])).toBeNull();
    expect(short([{ cost: 1, meters: [meter('a', 5), meter('a', 5)] }])).toBeNull();
    expect(
      short([
        { cost: 1, meters: [meter('a', 5)] },
        { cost: 1, meters: [meter('a', 5)] },
      ]),
    ).toBeNull();
    for (const cost of [-1, 0.5, Number.NaN, 2 ** 53]) expect(short([{ cost, meters: [meter('a', 5)] }])).toBeNull();
    const many = Array.from({ length: 65 }, (_, i) => ({ cost: 1, meters: [meter(`${i}`, 5)] }));
    expect(short(many.slice(1))?.keys).toHaveLength(64);
    expect(short(many)).toBeNull();
  });

  it('are answered with the time in front', () => {
    const attempts = [{ cost: 1, meters: [meter('a', 5)] }];
    expect(decodeShort(attempts, packed(NOW, 1, 3, 0))).toEqual({
      now: NOW,
      verdicts: decodeVerdicts(attempts, NOW, packed(1, 3, 0)),
    });
    expect(() => decodeShort(attempts, Buffer.alloc(0))).toThrow(RangeError);
  });
});
