import { describe, expect, it } from 'vitest';
import { convertVerdict, refuseUnavailable } from '@/lib/enforcement/decision';
import type { Plan } from '@/lib/enforcement/plan';
import type { PlannedMeter } from '@/lib/enforcement/planned-meter';
import { countSecondsUntil } from '@/lib/enforcement/refusal';
import type { Reading, SubjectKind, Verdict } from '@/lib/limiter/meter';
import { table } from '../../fixtures/table';

const NOW = Date.UTC(2026, 10, 20, 12);

function meter(subject: SubjectKind, limit: number, seconds = 60): PlannedMeter {
  const window = subject === 'quota' ? ({ kind: 'month' } as const) : ({ kind: 'sliding', seconds } as const);
  const origin = { kind: 'policy', id: null, place: `classes.read.${subject}` } as const;
  return { subject, key: subject, limit, window, identifier: subject, origin };
}

function reading(limit: number, used: number, more: Partial<Reading> = {}): Reading {
  return { limit, used, remaining: limit - used, reset: NOW + 30_000, retryAt: null, ...more };
}

function planned(meters: PlannedMeter[], more: Partial<Plan> = {}): Plan {
  return {
    class: 'read',
    rule: null,
    attempt: { meters, cost: 1 },
    trials: [],
    cost: 1,
    incident: null,
    closed: false,
    key: null,
    granted: 0,
    invalidKey: false,
    bypass: null,
    userId: null,
    ...more,
  };
}

const admitted = (...readings: Reading[]): Verdict => ({ admitted: true, readings });
const refused = (...readings: Reading[]): Verdict => ({ admitted: false, readings });

describe('seconds to wait', () => {
  table('%i ms are %i', (milliseconds) => countSecondsUntil(NOW + milliseconds, NOW), [
    [0, 1],
    [-5_000, 1],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [59_999, 60],
  ]);
});

describe('the tightest limit', () => {
  const subjects = ['ip', 'client', 'user'] as const;
  const tightestOf = (verdict: Verdict) => {
    const meters = verdict.readings.map(({ limit }, index) => meter(subjects[index] ?? 'quota', limit));
    return convertVerdict(planned(meters), verdict, NOW, false).tightest?.subject;
  };

  it('is the one with the least remaining, not the lowest', () => {
    expect(tightestOf(admitted(reading(10, 1), reading(100, 99), reading(50, 1)))).toBe('client');
    expect(tightestOf(admitted(reading(10, 9), reading(100, 2), reading(50, 1)))).toBe('ip');
  });

  it('is the first in the order of subjects where several have the same remaining', () => {
    expect(tightestOf(admitted(reading(10, 5), reading(105, 100), reading(6, 1)))).toBe('ip');
    expect(tightestOf(admitted(reading(10, 1), reading(105, 100), reading(6, 1)))).toBe('client');
  });

  it('is one that refuses, before one that has less remaining', () => {
    const never = { retryAt: NOW + 1_000 };
    expect(tightestOf(refused(reading(10, 10), reading(10, 8, never)))).toBe('client');
    expect(tightestOf(refused(reading(10, 9, never), reading(10, 10)))).toBe('ip');
    expect(tightestOf(refused(reading(10, 9, never), reading(10, 10, never), reading(10, 10)))).toBe('client');
    expect(tightestOf(refused(reading(10, 10, never), reading(10, 10, never)))).toBe('ip');
  });

  it('is none where nothing is counted, and never the quota', () => {
    expect(convertVerdict(planned([]), admitted(), NOW, false).tightest).toBeNull();
    const decision = convertVerdict(planned([meter('quota', 1000)]), admitted(reading(1000, 1000)), NOW, false);
    expect(decision.tightest).toBeNull();
    expect(decision.quota).toMatchObject({ subject: 'quota', limit: 1000, remaining: 0 });
    expect(decision.limits).toEqual([]);
  });
});

describe('a limit as it is told', () => {
  it('resets at a whole second that is late enough, and says how far that is', () => {
    const meters = [meter('ip', 10, 30)];
    const at = (reset: number) =>
      convertVerdict(planned(meters), admitted(reading(10, 3, { reset })), NOW, false).tightest;
    expect(at(NOW + 1)).toEqual({
      subject: 'ip',
      limit: 10,
      used: 3,
      remaining: 7,
      reset: NOW / 1000 + 1,
      resetAfter: 1,
      window: 30,
    });
    expect(at(NOW + 2_000)).toMatchObject({ reset: NOW / 1000 + 2, resetAfter: 2 });
    expect(at(NOW)).toMatchObject({ reset: NOW / 1000, resetAfter: 0 });
    expect(at(NOW - 5_000)).toMatchObject({ resetAfter: 0 });
  });

  it('names a month as thirty-one days', () => {
    const decision = convertVerdict(planned([meter('quota', 5)]), admitted(reading(5, 1)), NOW, false);
    expect(decision.quota?.window).toBe(2_678_400);
  });
});

describe('a refusal', () => {
  it.each([
    ['ip', 'rate_limit_exceeded'],
    ['client', 'client_rate_limit_exceeded'],
    ['user', 'user_rate_limit_exceeded'],
    ['quota', 'quota_exceeded'],
  ] as const)('by %s is %s', (subject, error) => {
    const verdict = refused(reading(1, 1, { retryAt: NOW + 5_000 }));
    const decision = convertVerdict(planned([meter(subject, 1)]), verdict, NOW, false);
    expect(decision).toMatchObject({ outcome: 'refused', class: 'read', at: NOW, degraded: false });
    expect(decision.refusal).toMatchObject({ error, retryAfter: 5, violated: [subject] });
    expect(decision.refusal?.description).toMatch(/\.$/);
  });

  it('names the first subject, lists all of them, and waits for the last', () => {
    const meters = [meter('ip', 1), meter('client', 1), meter('user', 1), meter('quota', 1)];
    const decision = convertVerdict(
      planned(meters),
      refused(
        reading(1, 0),
        reading(1, 1, { retryAt: NOW + 2_000 }),
        reading(1, 1, { retryAt: NOW + 9_000 }),
        reading(1, 1, { retryAt: NOW + 4_000 }),
      ),
      NOW,
      false,
    );
    expect(decision.refusal).toMatchObject({
      error: 'client_rate_limit_exceeded',
      violated: ['client', 'user', 'quota'],
      retryAfter: 9,
    });
    expect(decision.limits.map(({ subject }) => subject)).toEqual(['ip', 'client', 'user']);
  });

  it('of a cost above the limit names both numbers and no time to wait', () => {
    const never = { retryAt: Number.POSITIVE_INFINITY };
    const costly = (subject: 'ip' | 'quota') => {
      const plan = planned([meter(subject, 1, 30)]);
      return { ...plan, attempt: { ...plan.attempt, cost: 2 } };
    };
    const sliding = convertVerdict(costly('ip'), refused(reading(1, 0, never)), NOW, false);
    expect(sliding.refusal).toMatchObject({
      description: 'The request costs 2, the limit of this address is 1.',
      retryAfter: null,
    });
    const month = convertVerdict(costly('quota'), refused(reading(1, 0, never)), NOW, false);
    expect(month.refusal).toMatchObject({
      description: 'The request costs 2, the monthly quota of this API key is 1.',
      retryAfter: null,
    });
  });

  it('of an unknown key comes after the limits, and waiting does not help', () => {
    const unknown = planned([meter('ip', 1)], { invalidKey: true });
    expect(convertVerdict(unknown, admitted(reading(1, 1)), NOW, false)).toMatchObject({
      outcome: 'refused',
      refusal: { error: 'invalid_api_key', retryAfter: null, violated: [] },
      tightest: { subject: 'ip', remaining: 0 },
    });
    expect(convertVerdict(unknown, refused(reading(1, 1, { retryAt: NOW + 1 })), NOW, false).refusal?.error).toBe(
      'rate_limit_exceeded',
    );
  });

  it('for want of a store or of room names no subject, and waits a second at least', () => {
    const decision = refuseUnavailable({ class: 'auth', incident: null }, NOW, 0, 'Closed.');
    expect(decision).toEqual({
      outcome: 'refused',
      class: 'auth',
      at: NOW,
      tightest: null,
      limits: [],
      quota: null,
      refusal: { error: 'service_unavailable', description: 'Closed.', retryAfter: 1, violated: [] },
      observed: null,
      incident: null,
      degraded: false,
    });
    expect(refuseUnavailable({ class: 'auth', incident: null }, NOW, 7, 'Closed.').refusal?.retryAfter).toBe(7);
  });
});

describe('an admission', () => {
  const meters = [meter('ip', 5)];
  const verdict = admitted(reading(5, 1, { retryAt: NOW + 1 }));

  it('is allowed, degraded, or bypassed', () => {
    expect(convertVerdict(planned(meters), verdict, NOW, false)).toMatchObject({ outcome: 'allowed', refusal: null });
    expect(convertVerdict(planned(meters), verdict, NOW, true)).toMatchObject({ outcome: 'degraded', degraded: true });
    const bypass = { subject: 'ip', identifier: '203.0.113.9', entry: { id: 'entry', expiresAt: null } } as const;
    expect(convertVerdict(planned([], { bypass }), admitted(), NOW, false)).toMatchObject({ outcome: 'bypassed' });
    expect(convertVerdict(planned([], { bypass }), admitted(), NOW, true)).toMatchObject({ outcome: 'bypassed' });
  });
});
