import { describe, expect, it } from 'vitest';
import { addQuery } from '@/components/api/call';

describe('the query of a call', () => {
  it('leaves out what has no value, and keeps what is 0 or false', () => {
    expect(addQuery('/v1/x', { a: null, b: undefined, c: '', d: 0, e: false })).toBe('/v1/x?d=0&e=false');
    expect(addQuery('/v1/x', {})).toBe('/v1/x');
    expect(addQuery('/v1/x', undefined)).toBe('/v1/x');
  });

  it('repeats a list, escapes its values and extends an existing query', () => {
    expect(addQuery('/v1/x?limit=5', { q: 'a&b c', tag: ['x', 'y'] })).toBe('/v1/x?limit=5&q=a%26b+c&tag=x&tag=y');
  });
});
