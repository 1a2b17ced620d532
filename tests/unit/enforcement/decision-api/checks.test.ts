import { describe, expect, it } from 'vitest';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import type { Decision } from '@/lib/enforcement/decision';
import { buildCheckResult } from '@/lib/enforcement/decision-api/check-result';
import { convertCheckToFacts } from '@/lib/enforcement/decision-api/read-checks';
import type { LimitState } from '@/lib/enforcement/limit-state';
import { table } from '../../../fixtures/table';

const KEY = '3F1C2A8E-0D4B-4C6E-9A53-6F0F6F1F0A11';

describe('what a check tells of a request', () => {
  it('is nothing where nothing is said', () => {
    expect(convertCheckToFacts({ class: 'read' }, 'request-1')).toEqual({
      method: null,
      path: null,
      address: undefined,
      class: 'read',
      requestId: 'request-1',
    });
  });

  it('is everything that is said', () => {
    const facts = convertCheckToFacts(
      { method: 'GET', path: '/a?b#c', ip: '::ffff:203.0.113.9', user_id: 'alice', client_id: 'app', cost: 0 },
      'request-1',
    );
    expect(facts).toEqual({
      method: 'GET',
      path: '/a',
      address: expect.objectContaining({ text: '203.0.113.9' }),
      userId: 'alice',
      client: { id: 'app', type: 'public' },
      cost: 0,
      requestId: 'request-1',
    });
    expect(
      convertCheckToFacts({ class: 'read', client_id: 'app', client_type: 'confidential' }, 'r').client?.type,
    ).toBe('confidential');
  });

  it('is a key by its secret, or by its id in any letter case', () => {
    expect(convertCheckToFacts({ class: 'read', api_key: 'slk_secret' }, 'r')).toMatchObject({ apiKey: 'slk_secret' });
    const byId = convertCheckToFacts({ class: 'read', api_key: KEY }, 'r');
    expect(byId.apiKeyId).toBe(KEY.toLowerCase());
    expect(byId).not.toHaveProperty('apiKey');
  });

  table('%s has the path %s', parsePath, [
    ['/a', '/a'],
    ['/a?b', '/a'],
    ['/a#b?c', '/a#b'],
    ['?b', ''],
  ]);
});

describe('what the caller of a check is told', () => {
  const limit: LimitState = { subject: 'ip', limit: 9, used: 1, remaining: 8, reset: 700, resetAfter: 60, window: 60 };
  const decision: Decision = {
    outcome: 'allowed',
    class: 'read',
    at: 0,
    tightest: limit,
    limits: [limit],
    quota: null,
    refusal: null,
    observed: null,
    incident: null,
    degraded: false,
  };

  it('is the tightest limit', () => {
    expect(buildCheckResult(decision)).toEqual({ allowed: true, class: 'read', limit: 9, remaining: 8, reset: 700 });
  });

  it('is the quota beside it', () => {
    const quota = { ...limit, subject: 'quota' as const, limit: 1000, remaining: 1, reset: 800 };
    expect(buildCheckResult({ ...decision, quota }).quota).toEqual({ limit: 1000, remaining: 1, reset: 800 });
  });

  it('is no limit under a bypass', () => {
    expect(buildCheckResult({ ...decision, outcome: 'bypassed', tightest: null, limits: [] })).toEqual({
      allowed: true,
      class: 'read',
      limit: null,
      remaining: null,
      reset: null,
      status: 'bypassed',
    });
  });

  it('is that the store is down', () => {
    expect(buildCheckResult({ ...decision, outcome: 'degraded', degraded: true }).status).toBe('degraded');
  });

  it('is why not, and how long to wait where waiting helps', () => {
    const refusal = { error: 'rate_limit_exceeded', description: 'No.', retryAfter: 7, violated: ['ip'] } as const;
    expect(buildCheckResult({ ...decision, outcome: 'refused', refusal })).toMatchObject({
      allowed: false,
      error: 'rate_limit_exceeded',
      error_description: 'No.',
      retry_after: 7,
    });
    const noUse = { ...refusal, retryAfter: null };
    expect(buildCheckResult({ ...decision, outcome: 'refused', refusal: noUse })).not.toHaveProperty('retry_after');
  });
});
