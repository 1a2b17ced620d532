import { maxHeaderSize } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CheckBatchSchema, CheckSchema, MAX_PATH } from '@/lib/contract/check';
import { convertVerdict, type Decision } from '@/lib/enforcement/decision';
import { buildCheckResult, formatCheckResult } from '@/lib/enforcement/decision-api/check-result';
import { convertCheckToFacts, readCheck, readChecks } from '@/lib/enforcement/decision-api/read-checks';
import { ApiError } from '@/lib/http/api-error';
import { parseInput } from '@/lib/http/input';

const UUID = '3F1C2A8E-0D4B-4C6E-9A53-6F0F6F1F0A11';
const WRONG = [null, true, 0, -1, 1.5, '', ' ', 'x\u0000', '\ud800', [], {}];
const oneOf = (...values: unknown[]) =>
  fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...values) }, fc.constantFrom(...WRONG));

/** Checks as callers send them and nearly so. */
const member = {
  class: oneOf('auth', 'sensitive', 'read', 'write', 'lab', 'Read'),
  method: oneOf('GET', 'POST', 'OPTIONS', 'get', 'X-A', 'A'.repeat(33)),
  path: oneOf('/', '/a?b#c', '/a b', 'a', `/${'x'.repeat(MAX_PATH - 1)}`, `/${'x'.repeat(MAX_PATH)}`),
  ip: oneOf('203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1', '0.0.0.0', '203.0.113.07', '10.0.0.0/8'),
  user_id: oneOf('alice', 'zoë', 'a b', 'x'.repeat(256), 'x'.repeat(257), '😀'.repeat(256), '\u202e'),
  api_key: oneOf('slk_secret', UUID, 'a b', 'x'.repeat(512), 'x'.repeat(513)),
  client_id: oneOf('app'),
  client_type: oneOf('public', 'confidential'),
  cost: oneOf(1, 1_000, 1_001, 2 ** 53),
  preflight: oneOf(true, false),
};
const check = fc.record(member, { requiredKeys: [] });
/** Checks that are right, in any spelling. */
const right = fc.record(
  {
    class: fc.constantFrom('auth', 'sensitive', 'read', 'write'),
    ip: fc.constantFrom('203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1'),
    user_id: fc.constantFrom('alice', 'zoë', 'x'.repeat(256)),
    api_key: fc.constantFrom('slk_secret', UUID, 'x'.repeat(512)),
    cost: fc.constantFrom(1, 1_000),
  },
  { requiredKeys: ['class', 'ip'] },
);
const own = fc.dictionary(fc.constantFrom('ip', 'class', 'unknown', 'toString', '__proto__'), oneOf('read'));
const anything = fc.oneof(
  { weight: 4, arbitrary: check },
  { weight: 4, arbitrary: right },
  { weight: 1, arbitrary: fc.tuple(check, own).map(([a, b]) => Object.assign(Object.create(null), a, b)) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

/** What is read, or the body of the refusal. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, description, details } = error;
    return { status, code, description, details };
  }
}
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the facts in a check', () => {
  it('are those that the schema reads, and so is the refusal', () => {
    const accepted = { readers: 0 };
    fc.assert(
      fc.property(anything, (value) => {
        const body = sent(value);
        const expected = outcome(() => convertCheckToFacts(parseInput(CheckSchema, body, 'body'), 'r'));
        expect(outcome(() => readCheck(body, 'r'))).toEqual(expected);
        if (typeof expected === 'object' && expected !== null && 'requestId' in expected) accepted.readers += 1;
      }),
      { numRuns: 500, examples: [[{ class: 'read', ip: '203.0.113.7' }]] },
    );
    expect(accepted.readers).toBeGreaterThan(0);
  });

  it('are those that the schema reads in a batch', () => {
    const valid = fc.constantFrom({ class: 'read', ip: '203.0.113.7' }, { method: 'GET', path: '/', user_id: 'alice' });
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: valid }, anything), { maxLength: 5 }), (values) => {
        const body = sent(values);
        const read = () => parseInput(CheckBatchSchema, body, 'body').map((each) => convertCheckToFacts(each, 'r'));
        expect(outcome(() => readChecks(body, 'r'))).toEqual(outcome(read));
      }),
    );
    const many = Array.from({ length: 1_001 }, () => ({ class: 'read', ip: '203.0.113.7' }));
    expect(() => readChecks(many, 'r')).toThrow('must be at most 1000 checks');
    expect(readChecks(many.slice(1), 'r')).toHaveLength(1_000);
    expect(() => readChecks({}, 'r')).toThrow('body must be an array');
  });
});

describe('the answer to a check', () => {
  it('is its result as JSON', () => {
    const decision: Decision = convertVerdict(
      {
        class: 'read',
        rule: null,
        attempt: {
          cost: 1,
          meters: [
            {
              ...{ subject: 'ip', key: 'k', limit: 9, window: { kind: 'sliding', seconds: 60 } },
              ...{ identifier: '203.0.113.7', origin: { kind: 'policy', id: null, place: 'classes.read.ip' } },
            },
          ],
        },
        trials: [],
        cost: 1,
        incident: null,
        closed: false,
        key: null,
        granted: 0,
        invalidKey: false,
        bypass: null,
        userId: null,
      },
      { admitted: true, readings: [{ limit: 9, used: 1, remaining: 8, reset: 60_000, retryAt: null }] },
      0,
      false,
    );
    const states: Decision[] = [
      decision,
      { ...decision, tightest: null },
      { ...decision, quota: decision.limits[0] ?? null },
      { ...decision, outcome: 'degraded', degraded: true },
      { ...decision, outcome: 'bypassed', tightest: null },
      { ...decision, incident: 'observe' },
      {
        ...decision,
        outcome: 'refused',
        refusal: { error: 'rate_limit_exceeded', description: '"', retryAfter: 3, violated: ['ip'] },
      },
    ];
    const refunds = { createId: () => 'id' };
    for (const state of states) expect(formatCheckResult(state, refunds)).toBe(JSON.stringify(buildCheckResult(state)));
    const charged = { ...decision, charged: { revision: 1, at: 0, cost: 1, counters: [] } };
    expect(JSON.parse(formatCheckResult(charged, refunds))).toEqual({ ...buildCheckResult(decision), id: 'id' });
  });
});

it('an adapter can check every path that Node accepts', () => {
  const body = { method: 'GET', path: `/${'x'.repeat(maxHeaderSize - 1)}`, ip: '203.0.113.7' };
  expect(() => readCheck(body, 'r')).not.toThrow();
});
