import { expect, test } from 'vitest';
import type { CheckAnswer } from '@/client/check-answer';
import { RememberedRefusals } from '@/client/remembered-refusals';

const CHECK = { class: 'read', ip: '203.0.113.7' } as const;
const REFUSED: CheckAnswer = {
  allowed: false,
  class: 'read',
  error: 'rate_limit_exceeded',
  limit: 100,
  remaining: 0,
  reset: 60,
  retry_after: 10,
};

test('a refusal holds until its retry_after, and counts down', () => {
  const refusals = new RememberedRefusals();
  refusals.keep(CHECK, REFUSED, 1_000);
  expect(refusals.find({ ...CHECK }, 1_001)).toEqual({ ...REFUSED, status: 'remembered', retry_after: 10 });
  expect(refusals.find(CHECK, 10_999)?.retry_after).toBe(1);
  expect(refusals.find(CHECK, 11_000)).toBeNull();
});

test('only for the same check', () => {
  const refusals = new RememberedRefusals();
  refusals.keep(CHECK, REFUSED, 0);
  for (const other of [
    { user_id: 'alice' },
    { cost: 2 },
    { class: 'write' },
    { ip: '203.0.113.8' },
    { api_key: 'k' },
  ] as const) {
    expect(refusals.find({ ...CHECK, ...other }, 1)).toBeNull();
  }
  expect(refusals.find({ ...CHECK, path: '/elsewhere' }, 1)).not.toBeNull();
});

test('by method and path where they decide the class', () => {
  const refusals = new RememberedRefusals();
  const check = { method: 'GET', path: '/a', ip: '203.0.113.7' };
  refusals.keep(check, REFUSED, 0);
  expect(refusals.find({ ...check, path: '/b' }, 1)).toBeNull();
  expect(refusals.find(check, 1)).not.toBeNull();
});

test('nothing is kept that no limit refused', () => {
  const refusals = new RememberedRefusals();
  refusals.keep(CHECK, { ...REFUSED, error: 'service_unavailable' }, 0);
  refusals.keep(CHECK, { ...REFUSED, allowed: true }, 0);
  refusals.keep(CHECK, { ...REFUSED, error: 'invalid_api_key', retry_after: undefined }, 0);
  expect(refusals.find(CHECK, 1)).toBeNull();
});

test('no longer than it was told, and not more than it may', () => {
  const refusals = new RememberedRefusals(3, 1);
  refusals.keep(CHECK, REFUSED, 0);
  expect(refusals.find(CHECK, 3_000)).toBeNull();
  refusals.keep(CHECK, REFUSED, 0);
  refusals.keep({ ...CHECK, ip: '203.0.113.8' }, REFUSED, 0);
  expect(refusals.find(CHECK, 1)).toBeNull();
});
