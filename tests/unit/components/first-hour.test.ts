import { describe, expect, it } from 'vitest';
import { checkSnippet, LANGUAGES } from '@/components/first-hour/check-snippets';
import { isNew, listSettled } from '@/components/first-hour/step-state';
import type { FirstSteps } from '@/lib/contract/first-hour';

const NOW = Date.UTC(2026, 10, 20, 12);

const steps = (...done: string[]): FirstSteps => ({
  since: '2026-11-20T08:00:00.000Z',
  connect: { done: done.includes('connect'), upstream: null, gateway_tokens: 0 },
  request: { done: done.includes('request'), decisions: done.includes('request') ? 7 : 0 },
  key: { done: done.includes('key') },
  limit: { done: done.includes('limit') },
  invite: { done: done.includes('invite') },
});

describe('the first steps', () => {
  it('are settled when they are done or skipped', () => {
    expect(listSettled(steps('request', 'key'), ['connect', 'key'])).toEqual(['connect', 'request', 'key']);
  });

  it('are shown while nothing was decided, however old the installation is', () => {
    expect(isNew(steps('key', 'limit', 'invite'), NOW + 400 * 86_400_000)).toBe(true);
  });

  it('are shown in the first week while most is to do', () => {
    expect(isNew(steps('request', 'key'), NOW)).toBe(true);
    expect(isNew(steps('request', 'key'), NOW + 8 * 86_400_000)).toBe(false);
    expect(isNew(steps('request', 'key', 'limit'), NOW)).toBe(false);
  });
});

describe('the text for a server of one’s own', () => {
  it.each(LANGUAGES)('%s: asks this origin with this token', (language) => {
    const text = checkSnippet(language, 'https://sluice.example.com', 'slt_token');
    expect(text).toContain('https://sluice.example.com/v1/check');
    expect(text).toContain('Bearer slt_token');
    expect(text).toContain('/orders');
    expect(text).toContain('203.0.113.7');
  });
});
