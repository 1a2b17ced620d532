import { describe, expect, test } from 'vitest';
import type { Check } from '@/client/api';
import { CachedClasses } from '@/client/cached-classes';
import type { CheckAnswer } from '@/client/check-answer';
import { SluiceError } from '@/client/error';
import { LocalLimiter } from '@/client/local-limiter';
import { fillPolicies, type LocalLimit } from '@/client/policies';
import { RememberedRefusals } from '@/client/remembered-refusals';
import { answerUnreachable, type OnUnreachable } from '@/client/unreachable';

const SMS: LocalLimit = {
  name: 'sms',
  windows: [
    { limit: 4, seconds: 10 },
    { limit: 6, seconds: 3_600 },
    { limit: 1, seconds: 'month' },
  ],
  in_flight: null,
  on_store_failure: 'local',
};
const STREAMS: LocalLimit = {
  ...SMS,
  name: 'streams',
  windows: [],
  in_flight: { limit: 3, lease_seconds: 60 },
};
const CLOSED: LocalLimit = { ...SMS, name: 'closed', on_store_failure: 'closed' };
const POLICIES = fillPolicies({}, [SMS, STREAMS, CLOSED]);
const START = Date.UTC(2026, 10, 20, 12);
const limits = (...names: string[]): Check => ({ limits: names.map((name) => ({ name, subject: 'a' })) });

describe('without the server, a named limit', () => {
  test('holds all its sliding windows at half the numbers', () => {
    const limiter = new LocalLimiter(POLICIES);
    const allowed = (seconds: number, check = limits('sms')) => limiter.decide(check, START + seconds * 1_000);
    expect(allowed(0)).toMatchObject({ allowed: true, class: null, status: 'unreachable', limit: 2, remaining: 1 });
    expect(allowed(0)).toMatchObject({ limits: [{ name: 'sms', limit: 2, remaining: 0, window_seconds: 10 }] });
    expect(allowed(0)).toMatchObject({
      ...{ allowed: false, error: 'rate_limit_exceeded', limit_name: 'sms', retry_after: 11 },
      error_description: 'The limit sms is reached.',
    });
    expect(allowed(0, { limits: [{ name: 'sms', subject: 'b' }] })).toMatchObject({ allowed: true });
    expect(allowed(11)).toMatchObject({ allowed: true, limits: [{ limit: 3, remaining: 0, window_seconds: 3_600 }] });
    expect(allowed(22)).toMatchObject({ allowed: false, limit_name: 'sms' });
  });

  test('counts everything or nothing, with the class and by its own costs', () => {
    const limiter = new LocalLimiter(POLICIES);
    const check: Check = { class: 'read', ip: '203.0.113.7', limits: [{ name: 'sms', subject: 'a', cost: 2 }] };
    expect(limiter.decide(check, START)).toMatchObject({ allowed: true, class: 'read', limit: 2, remaining: 0 });
    expect(limiter.decide(check, START)).toMatchObject({ allowed: false, limit_name: 'sms' });
    expect(limiter.decide({ ...check, limits: [{ name: 'sms', subject: 'b', cost: 3 }] }, START)).toMatchObject({
      error_description: 'The request costs 3, the limit is 2.',
    });
    expect(limiter.decide({ class: 'read', ip: '203.0.113.7' }, START)).toMatchObject({ remaining: 48 });
  });

  test('has half its places, until their leases end', () => {
    const limiter = new LocalLimiter(POLICIES);
    const take = (seconds: number) => limiter.decide(limits('streams'), START + seconds * 1_000).allowed;
    expect([take(0), take(30), take(61), take(61)]).toEqual([true, false, true, false]);
  });

  test('counts the API key if it names no subject', () => {
    const limiter = new LocalLimiter(POLICIES);
    const take = (key: string) => limiter.decide({ api_key: key, limits: [{ name: 'streams' }] }, START).allowed;
    expect([take('one'), take('one'), take('two')]).toEqual([true, false, true]);
  });

  const cases: [title: string, check: Check, given: OnUnreachable | undefined, expected: object | 'throws'][] = [
    ['that is cached and local decides', limits('sms'), undefined, { allowed: true, limit: 2 }],
    ['that is closed refuses', limits('closed'), undefined, { allowed: false, error: 'service_unavailable' }],
    ['that is not cached refuses', limits('other'), undefined, { allowed: false, error: 'service_unavailable' }],
    ['beside a closed one refuses', limits('sms', 'closed'), undefined, { allowed: false, class: null }],
    ['of a closed class refuses', { ...limits('sms'), class: 'auth' }, undefined, { allowed: false, class: 'auth' }],
    ['takes its own substitute', limits('other'), { limits: 'allow' }, { allowed: true, limit: null }],
    ['takes the substitute of all', limits('closed'), 'allow', { allowed: true, limit: null }],
    [
      'takes the stricter one',
      { ...limits('sms'), class: 'read' },
      { limits: 'allow', read: 'deny' },
      { allowed: false },
    ],
    ['may throw', limits('sms'), { limits: 'throw' }, 'throws'],
    [
      'takes what a function returns',
      limits('other'),
      ({ limits: asked }) => (asked ? 'allow' : 'deny'),
      { allowed: true },
    ],
  ];
  test.each(cases)('%s', (_, check, given, expected) => {
    const options = { policies: POLICIES, local: new LocalLimiter(POLICIES), now: START };
    const answer = () =>
      answerUnreachable(
        check,
        new SluiceError('timeout', ''),
        given === undefined ? options : { ...options, onUnreachable: given },
      );
    if (expected === 'throws') expect(answer).toThrow(SluiceError);
    else expect(answer()).toMatchObject(expected);
  });

  test('of a route rule counts the subjects that a check has', async () => {
    const kinds = ['ip', 'user', 'client', 'header:x-tenant'];
    const ruled = kinds.map((subject) => ({ name: 'sms', subject, cost: 2 }));
    const classes = new CachedClasses([{ method: 'POST', path: '/codes', class: 'write', limits: ruled }]);
    await classes.loading;
    const check = { method: 'POST', path: '/codes', ip: '2001:db8::1', user_id: 'alice', api_key: 'key' };
    expect(classes.complete(check).limits).toEqual([
      { name: 'sms', subject: '2001:db8::/64', cost: 2 },
      { name: 'sms', subject: 'alice', cost: 2 },
      { name: 'sms', subject: 'key', cost: 2 },
    ]);
    expect(classes.complete({ ...check, path: '/other' })).not.toHaveProperty('limits');
    expect(classes.complete(limits('sms'))).toEqual(limits('sms'));
  });
});

test('a refusal by a named limit is not remembered, because a settlement may end it', () => {
  const refused: CheckAnswer = { allowed: false, class: 'read', limit: 1, remaining: 0, reset: 9, retry_after: 9 };
  const refusals = new RememberedRefusals();
  const check: Check = { ...limits('sms'), class: 'read', ip: '203.0.113.7' };
  refusals.keep(check, { ...refused, error: 'rate_limit_exceeded', limit_name: 'sms' }, 0);
  expect(refusals.find(check, 1)).toBeNull();
  refusals.keep(check, { ...refused, error: 'rate_limit_exceeded' }, 0);
  expect(refusals.find(check, 1)).not.toBeNull();
  expect(refusals.find({ ...check, limits: [{ name: 'sms', subject: 'b' }] }, 1)).toBeNull();
});
