import { describe, expect, test } from 'vitest';
import { Failure } from '@/cli/failure';
import { CHECKED_LIMITS, COSTS, WINDOWS, WINDOWS_BY_LIMIT } from '@/cli/operation/limit-texts';

describe('a window', () => {
  test.each([
    ['5/30s', { limit: 5, seconds: 30 }],
    ['1_000/1h30m', { limit: 1_000, seconds: 5_400 }],
    ['0/1d', { limit: 0, seconds: 86_400 }],
    ['5000/month', { limit: 5_000, seconds: 'month' }],
    ['5000/month@15', { limit: 5_000, seconds: 'month', day: 15 }],
  ])('%s', (text, window) => expect(WINDOWS.parse([text], 'window')).toEqual([window]));

  test.each(['', '5', '5/', '/1h', '5/h', 'x/1h', '5/1h@3', '5/1y', '1.5/1h'])('is not %s', (text) => {
    expect(() => WINDOWS.parse([text], 'window')).toThrow(Failure);
  });
});

test('windows of a key are collected by limit, and removed', () => {
  const texts = ['tokens=10/1m', 'sms=', 'tokens=100/month'];
  expect(WINDOWS_BY_LIMIT.parse(texts, 'limit')).toEqual({
    tokens: [
      { limit: 10, seconds: 60 },
      { limit: 100, seconds: 'month' },
    ],
    sms: null,
  });
  for (const text of ['', 'tokens', '=1/1h', 'tokens=1']) {
    expect(() => WINDOWS_BY_LIMIT.parse([text], 'limit')).toThrow(Failure);
  }
});

describe('a limit of a check', () => {
  test.each([
    ['sms=+4915112345678', { name: 'sms', subject: '+4915112345678' }],
    ['tokens=alice:500', { name: 'tokens', subject: 'alice', cost: 500 }],
    ['tokens=org:alice', { name: 'tokens', subject: 'org:alice' }],
    ['tokens=org:alice:2', { name: 'tokens', subject: 'org:alice', cost: 2 }],
    ['ip=2001:db8::1:1', { name: 'ip', subject: '2001:db8::1', cost: 1 }],
    ['tokens=a=b', { name: 'tokens', subject: 'a=b' }],
    ['tokens', { name: 'tokens' }],
    ['tokens:500', { name: 'tokens', cost: 500 }],
    ['tokens=', { name: 'tokens', subject: '' }],
  ])('%s', (text, limit) => expect(CHECKED_LIMITS.parse([text], 'limit')).toEqual([limit]));

  test('has a name', () => {
    for (const text of ['', '=alice', ':5']) expect(() => CHECKED_LIMITS.parse([text], 'limit')).toThrow(Failure);
  });
});

test('costs are whole numbers by limit', () => {
  expect(COSTS.parse(['tokens=731', 'bytes=0'], 'cost')).toEqual({ tokens: 731, bytes: 0 });
  for (const text of ['tokens', 'tokens=', 'tokens=1.5']) expect(() => COSTS.parse([text], 'cost')).toThrow(Failure);
});
