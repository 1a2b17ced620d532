import { describe, expect, it } from 'vitest';
import type { Decision } from '@/lib/enforcement/decision';
import { buildDecisionHeaders, DECISION_HEADERS } from '@/lib/enforcement/headers';
import type { LimitState } from '@/lib/enforcement/limit-state';
import { buildRefusedAnswer, type RefusedAnswerOptions } from '@/lib/enforcement/refused-answer';

const ip: LimitState = {
  subject: 'ip',
  limit: 100,
  used: 1,
  remaining: 99,
  reset: 1_800_000_000,
  resetAfter: 60,
  window: 60,
};
const user: LimitState = { ...ip, subject: 'user', limit: 50, remaining: 7, reset: 1_800_000_111, resetAfter: 111 };
const quota: LimitState = {
  subject: 'quota',
  limit: 1000,
  used: 997,
  remaining: 3,
  reset: 1_801_000_000,
  resetAfter: 999,
  window: 2_678_400,
};

const decision = (more: Partial<Decision> = {}): Decision => ({
  outcome: 'allowed',
  class: 'read',
  at: 0,
  tightest: user,
  limits: [ip, user],
  quota: null,
  refusal: null,
  observed: null,
  incident: null,
  degraded: false,
  ...more,
});

describe('the headers of a decision', () => {
  it('tell the tightest limit', () => {
    expect(buildDecisionHeaders(decision(), false)).toEqual({
      'X-RateLimit-Limit': '50',
      'X-RateLimit-Remaining': '7',
      'X-RateLimit-Reset': '1800000111',
    });
  });

  it('tell the quota beside it', () => {
    expect(buildDecisionHeaders(decision({ quota }), false)).toMatchObject({
      'X-RateLimit-Limit': '50',
      'X-Quota-Limit': '1000',
      'X-Quota-Remaining': '3',
      'X-Quota-Reset': '1801000000',
    });
  });

  it('tell a bypass and no limit', () => {
    expect(buildDecisionHeaders(decision({ outcome: 'bypassed', tightest: null, limits: [] }), true)).toEqual({
      'X-RateLimit-Status': 'bypassed',
    });
  });

  it('tell that this process decides alone', () => {
    const degraded = decision({ outcome: 'degraded', degraded: true });
    expect(buildDecisionHeaders(degraded, false)['X-RateLimit-Status']).toBe('degraded');
  });

  it('tell how long to wait, where waiting helps', () => {
    const refusal = { error: 'rate_limit_exceeded', description: 'No.', retryAfter: 7, violated: ['ip'] } as const;
    expect(buildDecisionHeaders(decision({ outcome: 'refused', refusal }), false)['Retry-After']).toBe('7');
    const noUse = { ...refusal, error: 'invalid_api_key', retryAfter: null } as const;
    expect(buildDecisionHeaders(decision({ outcome: 'refused', refusal: noUse }), false)).not.toHaveProperty(
      'Retry-After',
    );
  });

  it('tell every limit in the fields of the IETF, when they are switched on', () => {
    expect(buildDecisionHeaders(decision({ quota }), true)).toMatchObject({
      'RateLimit-Policy': '"ip";q=100;w=60, "user";q=50;w=60, "quota";q=1000;w=2678400',
      RateLimit: '"ip";r=99;t=60, "user";r=7;t=111, "quota";r=3;t=999',
    });
    expect(buildDecisionHeaders(decision({ quota }), false)).not.toHaveProperty('RateLimit');
    expect(buildDecisionHeaders(decision({ quota }), false)).not.toHaveProperty('RateLimit-Policy');
  });

  it('agree on the time to wait if a limit is used up', () => {
    const refusal = {
      error: 'user_rate_limit_exceeded',
      description: 'No.',
      retryAfter: 41,
      violated: ['user'],
    } as const;
    const [ip, user] = decision().limits;
    if (ip === undefined || user === undefined) throw new Error('The fixture has two limits.');
    const limits = [ip, { ...user, remaining: 0, resetAfter: 61 }];
    const headers = buildDecisionHeaders(decision({ outcome: 'refused', refusal, limits }), true);
    expect(headers['Retry-After']).toBe('41');
    expect(headers.RateLimit).toBe('"ip";r=99;t=60, "user";r=0;t=41');
    const unpayable = { ...refusal, retryAfter: null };
    expect(
      buildDecisionHeaders(decision({ outcome: 'refused', refusal: unpayable, limits }), true).RateLimit,
    ).toContain('"user";r=0;t=61');
  });

  it('are all named, for proxies that want every one of them', () => {
    expect(DECISION_HEADERS).toEqual([
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-RateLimit-Status',
      'X-Quota-Limit',
      'X-Quota-Remaining',
      'X-Quota-Reset',
      'Retry-After',
      'RateLimit-Policy',
      'RateLimit',
    ]);
  });
});

describe('the answer to a refused request', () => {
  const refusal = {
    error: 'user_rate_limit_exceeded',
    description: 'Too many requests from this user.',
    retryAfter: 7,
    violated: ['user', 'quota'],
  } as const;
  const refused = decision({ outcome: 'refused', refusal });
  const answerOf = (to: Decision, options: Partial<RefusedAnswerOptions> = {}) => {
    const answer = buildRefusedAnswer(to, { headers: {}, accept: null, requestId: 'request-1', ...options });
    if (answer === null) throw new Error('Nothing was refused.');
    return answer;
  };

  it('carries the headers of the decision', () => {
    const answer = answerOf(refused, { headers: { 'Retry-After': '7' } });
    expect(answer.status).toBe(429);
    expect(answer.headers).toMatchObject({ 'Retry-After': '7', 'X-Request-Id': 'request-1' });
    expect(answer.headers).not.toHaveProperty('WWW-Authenticate');
    expect(JSON.parse(answer.body ?? '')).toEqual({
      error: 'user_rate_limit_exceeded',
      error_description: 'Too many requests from this user.',
    });
  });

  it('names the violated policies as problem details', () => {
    const answer = answerOf(refused, { accept: 'application/problem+json' });
    expect(JSON.parse(answer.body ?? '')).toMatchObject({ status: 429, 'violated-policies': ['user', 'quota'] });
    const named = { ...refusal, violated: ['user', 'limit'], policies: ['user', 'sms:60'] } as const;
    const byName = answerOf(decision({ outcome: 'refused', refusal: named }), { accept: 'application/problem+json' });
    expect(JSON.parse(byName.body ?? '')).toMatchObject({ 'violated-policies': ['user', 'sms:60'] });
    const none = decision({ outcome: 'refused', refusal: { ...refusal, violated: [] } });
    expect(answerOf(none, { accept: 'application/problem+json' }).body).not.toContain('violated');
  });

  it('names the named limit that refused', () => {
    const named = { ...refusal, error: 'rate_limit_exceeded', violated: ['limit'], limitName: 'sms' } as const;
    for (const accept of [null, 'application/problem+json']) {
      const answer = answerOf(decision({ outcome: 'refused', refusal: named }), { accept });
      expect(JSON.parse(answer.body ?? '')).toMatchObject({ error: 'rate_limit_exceeded', limit_name: 'sms' });
    }
    expect(answerOf(refused).body).not.toContain('limit_name');
  });

  it('challenges whoever presents an unknown key', () => {
    const unknown = { ...refusal, error: 'invalid_api_key', retryAfter: null, violated: [] } as const;
    const answer = answerOf(decision({ outcome: 'refused', refusal: unknown }));
    expect(answer.status).toBe(401);
    expect(answer.headers).toMatchObject({ 'WWW-Authenticate': 'ApiKey realm="sluice"' });
  });

  it('is null where nothing is refused', () => {
    expect(buildRefusedAnswer(decision(), { headers: {}, accept: null, requestId: 'request-1' })).toBeNull();
  });

  it('says that a request names two clients, unless it is refused', () => {
    const options = { headers: { 'Retry-After': '7' }, accept: null, requestId: 'request-1', conflicting: true };
    const conflict = buildRefusedAnswer(decision(), options);
    expect(conflict).toMatchObject({ status: 400, headers: { 'Retry-After': '7' } });
    expect(JSON.parse(conflict?.body ?? '').error).toBe('invalid_request');
    expect(buildRefusedAnswer(refused, options)?.status).toBe(429);
  });
});
