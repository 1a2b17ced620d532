import { describe, expect, it } from 'vitest';
import { findCaller } from '@/components/decisions/decision-who';
import { describeDecision } from '@/components/decisions/decision-words';
import {
  buildDecisionExplainHref,
  buildDecisionsHref,
  findRangeSpan,
  findSeriesHref,
  RANGE_STEPS,
  RANGES,
} from '@/components/links/decisions-href';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { loggedRefusal } from '@/tests/fixtures/decision-event';

const KEY = '03cd4d56-8b74-4d10-9df1-0c5f6a6c1d11';
const measured = { limit: 8, window_seconds: 60, used: 8 };
const refusal = (change: Partial<LoggedDecision> = {}) => loggedRefusal('203.0.113.66', change);

describe('a decision in a sentence', () => {
  it.each<[string, Partial<LoggedDecision>]>([
    ['Refused: 8 of 8 requests in 1 min were used.', measured],
    [
      'Refused: 1,000 of 1,000 requests this month were used.',
      { subject: 'quota', limit: 1000, used: 1000, window_seconds: 2_592_000 },
    ],
    ['Refused: the limit is 0.', { ...measured, limit: 0, used: 0 }],
    ['Refused by the limit of the address.', { limit: null, used: null }],
    ['Refused by the global throttle.', { subject: 'global', identifier: null, limit: null }],
    ['Refused: the API key is unknown, revoked or expired.', { reason: 'invalid_api_key' }],
    ['Allowed by the allowlist; its limits were not checked.', { outcome: 'bypassed', reason: null }],
    ['Decided without the counter store, at half the limit.', { outcome: 'degraded', reason: null }],
  ])('%s', (sentence, change) => expect(describeDecision(refusal(change))).toBe(sentence));
});

describe('whom a decision concerns, as the filter that finds theirs', () => {
  it.each<[string, Partial<LoggedDecision>, ReturnType<typeof findCaller>]>([
    ['the address', {}, { by: 'ip', value: '203.0.113.66' }],
    ['the user', { subject: 'user', identifier: 'alice' }, { by: 'user_id', value: 'alice' }],
    ['the key of a quota', { subject: 'quota', identifier: KEY }, { by: 'api_key_id', value: KEY }],
    ['the OAuth client', { subject: 'client', identifier: 'app' }, { by: 'identifier', value: 'app' }],
    [
      'the key that came, where the store was down',
      { subject: null, identifier: null, api_key_id: KEY },
      { by: 'api_key_id', value: KEY },
    ],
    ['nobody', { subject: 'global', identifier: null, ip: null }, null],
  ])('%s', (_, change, who) => expect(findCaller(refusal(change))).toEqual(who));
});

describe('links to decisions', () => {
  const parts = (href: string | null) => {
    const { pathname, searchParams } = new URL(href ?? '', 'http://sluice.test');
    return [pathname, Object.fromEntries(searchParams)];
  };

  it('hold what a figure has counted, and when', () => {
    expect(parts(buildDecisionsHref({ range: '30d', outcome: 'refused', class: 'auth' }))).toEqual([
      '/decisions',
      { range: '30d', outcome: 'refused', class: 'auth' },
    ]);
    expect(parts(buildDecisionsHref({ range: '1h', bar: { from: Date.UTC(2026, 10, 20, 12), step: 60 } }))).toEqual([
      '/decisions',
      { range: '1h', from: '2026-11-20T12:00:00.000Z', to: '2026-11-20T12:01:00.000Z' },
    ]);
  });

  it.each(RANGES)('count whole steps of %s, the current one included, on every page', (range) => {
    const { length, step } = RANGE_STEPS[range];
    const now = Date.UTC(2026, 10, 20, 12, 34, 56, 789);
    const { from, to } = findRangeSpan(range, now);
    expect(to - from).toBe(length);
    expect([from % (step * 1000), to % (step * 1000)]).toEqual([0, 0]);
    expect(to - now).toBeGreaterThanOrEqual(0);
    expect(to - now).toBeLessThan(step * 1000);
  });

  it('of a legend lead to the outcome or the reason; what was allowed is not listed', () => {
    expect(findSeriesHref('allowed', '1h')).toBeNull();
    expect(parts(findSeriesHref('bypassed', '1h'))[1]).toEqual({ range: '1h', outcome: 'bypassed' });
    expect(parts(findSeriesHref('quota_exceeded', '24h'))[1]).toEqual({
      range: '24h',
      outcome: 'refused',
      reason: 'quota_exceeded',
    });
    expect(parts(findSeriesHref('rate_limit_exceeded', '1h'))[1]).toEqual({
      ...{ range: '1h', outcome: 'refused', reason: 'rate_limit_exceeded', subject: 'ip' },
    });
    expect(parts(findSeriesHref('limit_refusals', '1h'))[1]).toEqual({
      range: '1h',
      outcome: 'refused',
      subject: 'limit',
    });
    expect(parts(findSeriesHref('refused', '1h', 'sms'))[1]).toEqual({
      range: '1h',
      outcome: 'refused',
      limit_name: 'sms',
    });
    expect(findSeriesHref('allowed', '1h', 'sms')).toBeNull();
  });

  it('to the explanation name the request as it was', () => {
    expect(parts(buildDecisionExplainHref(refusal({ method: 'POST', path: '/auth/token', user_id: 'alice' })))).toEqual(
      ['/limits/explain', { method: 'POST', path: '/auth/token', ip: '203.0.113.66', user_id: 'alice' }],
    );
  });
});
