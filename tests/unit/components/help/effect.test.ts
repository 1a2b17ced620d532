import { describe, expect, it } from 'vitest';
import { describeEffect, type HelpfulChange, predictEffect } from '@/components/help/effect';
import { chooseSubjectKind } from '@/components/help/what-helps';
import type { DecisionExplanation } from '@/lib/contract/explain';
import { explainedQuota, explainedSubject, explanationOf } from '../../../fixtures/explanation';

const words = (explanation: DecisionExplanation, change: HelpfulChange) =>
  describeEffect(predictEffect(explanation, change));
const user = explainedSubject({ subject: 'user', identifier: 'alice', limit: 50, used: 50 });
const both = explanationOf({ subjects: [explainedSubject(), user] });

describe('what an action will do, before it does it', () => {
  it('a reset lets the next request through', () => {
    expect(words(explanationOf(), { kind: 'reset', subject: 'ip' })).toBe('the next request would be allowed');
  });

  it('a reset of one subject does not help where another refuses', () => {
    expect(words(both, { kind: 'reset', subject: 'ip' })).toBe(
      'the next request would still be refused, by the limit of the user',
    );
  });

  it.each([
    [8, false],
    [9, true],
    [16, true],
    [0, false],
  ])('a limit of %i with 8 used allows it: %s', (limit, allowed) => {
    expect(predictEffect(explanationOf(), { kind: 'limit', subject: 'ip', limit }).allowed).toBe(allowed);
  });

  it('a higher limit has to hold the cost of the request', () => {
    const dear = explanationOf({ cost: 5 });
    expect(predictEffect(dear, { kind: 'limit', subject: 'ip', limit: 12 }).allowed).toBe(false);
    expect(predictEffect(dear, { kind: 'limit', subject: 'ip', limit: 13 }).allowed).toBe(true);
  });

  it('a bypass skips every rate limit, and not the quota', () => {
    expect(words(both, { kind: 'bypass' })).toBe('the next request would be allowed');
    const spent = explanationOf({ subjects: both.subjects, quota: explainedQuota() });
    expect(words(spent, { kind: 'bypass' })).toBe('the next request would still be refused, by the quota of the key');
  });

  it('more quota helps only as far as it holds the request', () => {
    const spent = explanationOf({ subjects: [], quota: explainedQuota() });
    expect(predictEffect(spent, { kind: 'quota', more: 0 }).allowed).toBe(false);
    expect(predictEffect(spent, { kind: 'quota', more: 1 }).allowed).toBe(true);
  });

  it('nothing lets a request through whose key is not valid', () => {
    const explanation = explanationOf({ api_key: { valid: false, id: null, name: null } });
    expect(predictEffect(explanation, { kind: 'bypass' }).allowed).toBe(false);
  });

  it('is not invented while the counters cannot be read', () => {
    const explanation = explanationOf({ store: { available: false, on_failure: 'closed' } });
    expect(predictEffect(explanation, { kind: 'bypass' }).allowed).toBeNull();
  });
});

describe('who is acted upon', () => {
  const caller = { type: 'ip', identifier: '203.0.113.66' } as const;

  it('is what refuses now', () => {
    expect(chooseSubjectKind(caller, undefined, explanationOf({ refused_by: ['user'] }))).toBe('user');
  });

  it('is the key, never the address of its caller, where the quota refused', () => {
    const admitted = explanationOf({ refused_by: [] });
    expect(chooseSubjectKind(caller, { subject: 'quota' }, admitted)).toBe('quota');
    expect(chooseSubjectKind(caller, { subject: 'client' }, admitted)).toBe('client');
  });

  it('is nobody where the throttle refused', () => {
    expect(chooseSubjectKind(caller, { subject: 'global' }, explanationOf({ refused_by: [] }))).toBeNull();
  });

  it('is the identity itself where nothing was refused', () => {
    expect(chooseSubjectKind(caller, undefined, explanationOf({ refused_by: [] }))).toBe('ip');
  });
});
