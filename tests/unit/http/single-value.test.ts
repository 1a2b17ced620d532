import { describe, expect, it } from 'vitest';
import { singleValue } from '@/lib/http/request-head';

describe('a header that may come once', () => {
  it.each([
    [null, null],
    ['', null],
    [' , ,', null],
    ['key', 'key'],
    [' key ', 'key'],
    ['key, key', 'key'],
    ['key,', 'key'],
    ['key, other', 'several'],
    ['key,other,key', 'several'],
  ])('%j is %j', (header, value) => {
    expect(singleValue(header)).toBe(value);
  });
});
