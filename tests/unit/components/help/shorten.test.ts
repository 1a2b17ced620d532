import { describe, expect, it } from 'vitest';
import { shorten, splitIdentifier } from '@/components/ui/shorten';

describe('an identifier in a narrow place', () => {
  it('stays whole when it is short', () => {
    expect(splitIdentifier('198.51.100.255/32')).toBeNull();
  });

  it('keeps its last characters, which tell neighbours apart', () => {
    expect(splitIdentifier('customer-4711-production-a')).toEqual(['customer-4711-prod', 'uction-a']);
    expect(splitIdentifier('customer-4711-production-b')?.[1]).toBe('uction-b');
  });

  it('is not cut inside a character', () => {
    expect(splitIdentifier('🙂'.repeat(30))?.join('')).toBe('🙂'.repeat(30));
  });

  it('is cut in the middle in a text', () => {
    expect(shorten('a'.repeat(40))).toBe('a'.repeat(40));
    expect(shorten(`begin${'-'.repeat(90)}end`, 10)).toBe('begin-…end');
  });
});
