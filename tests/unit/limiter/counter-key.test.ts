import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildCounterKey, buildCounterPrefix, type CounterScope } from '@/lib/limiter/counter-key';
import { ENDPOINT_CLASSES, SUBJECT_ORDER, type Window } from '@/lib/limiter/meter';
import { table } from '../../fixtures/table';

const sliding = (seconds: number): Window => ({ kind: 'sliding', seconds });
const MONTH: Window = { kind: 'month' };

describe('the key of a counter', () => {
  table('%s', (key) => key, [
    [buildCounterKey('ip', '203.0.113.9', 'read', sliding(60)), 'ip|203.0.113.9|read|60'],
    [buildCounterKey('ip', '2001:db8::/64', 'auth', sliding(60)), 'ip|2001:db8::/64|auth|60'],
    [buildCounterKey('user', 'alice@example.com', 'write', sliding(3600)), 'user|alice%40example.com|write|3600'],
    [buildCounterKey('client', 'demo-client', 'all', sliding(60)), 'client|demo-client|all|60'],
    [
      buildCounterKey('quota', '0198c0de-0000-7000-8000-000000000000', 'all', MONTH),
      'quota|0198c0de-0000-7000-8000-000000000000|month',
    ],
  ]);

  const ids = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 256 }),
    fc.string({ unit: fc.constantFrom('a', '|', '%', '7', 'C', '*', '\ud800', '🙂', ':', '/', "'"), maxLength: 120 }),
  );
  const kinds = fc.constantFrom(...SUBJECT_ORDER);
  const scopes = fc.constantFrom<CounterScope>(...ENDPOINT_CLASSES, 'all');

  it('is printable ASCII of at most 128 bytes for every id, and starts with its prefixes', () => {
    fc.assert(
      fc.property(kinds, ids, scopes, fc.integer({ min: 1, max: 2 ** 31 }), (kind, id, scope, seconds) => {
        const key = buildCounterKey(kind, id, scope, sliding(seconds));
        expect(key).toMatch(/^[!-~]{1,128}$/);
        expect(key.startsWith(buildCounterPrefix(kind, id))).toBe(true);
        expect(key.startsWith(buildCounterPrefix(kind, id, scope))).toBe(true);
        expect(key.split('|')).toHaveLength(4);
      }),
      { numRuns: 3000 },
    );
  });

  it('differs for different ids, and never starts with another id’s prefix', () => {
    fc.assert(
      fc.property(kinds, ids, ids, scopes, (kind, a, b, scope) => {
        fc.pre(a !== b);
        expect(buildCounterKey(kind, a, scope, sliding(60)).startsWith(buildCounterPrefix(kind, b))).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['\ud800', '\ud801'],
    ['\ud800', '\ufffd'],
    ['a'.repeat(256), 'a'.repeat(255)],
    ['A', 'a'],
    ['é', 'e\u0301'],
    ['a|read', 'a'],
    ['a%7Cread', 'a|read'],
    ['sha256:x', 'sha256%3Ax'],
  ])('tells %j from %j', (a, b) => {
    expect(buildCounterKey('user', a, 'read', sliding(60))).not.toBe(buildCounterKey('user', b, 'read', sliding(60)));
  });
});

describe('the beginning of the keys of a subject', () => {
  it('is that of all of them, or of those in one class', () => {
    expect(buildCounterPrefix('ip', '2001:db8::/64')).toBe('ip|2001:db8::/64|');
    expect(buildCounterPrefix('ip', '2001:db8::/64', 'read')).toBe('ip|2001:db8::/64|read|');
    expect(buildCounterPrefix('client', 'app', 'all')).toBe('client|app|all|');
  });

  it('keeps an id as it is up to 96 characters, percent-encoded where it is no address', () => {
    expect(buildCounterPrefix('user', 'a'.repeat(96))).toBe(`user|${'a'.repeat(96)}|`);
    expect(buildCounterPrefix('user', 'a'.repeat(97))).toMatch(/^user\|sha256:[\w-]{43}\|$/);
    expect(buildCounterPrefix('user', '@'.repeat(32))).toBe(`user|${'%40'.repeat(32)}|`);
    expect(buildCounterPrefix('user', '@'.repeat(33))).toMatch(/^user\|sha256:/);
    expect(buildCounterPrefix('user', 'a:b/c')).toBe('user|a%3Ab%2Fc|');
  });
});
