import { describe, expect, it } from 'vitest';
import { buildKeyExamples } from '@/components/keys/key-try';
import { describeReset } from '@/components/keys/reset-usage-dialog';

describe('what a reset of a quota does', () => {
  it('is said before it is done', () => {
    expect(describeReset(94_359, { limit: 100_000, granted: 0 }, '2026-12-01T00:00:00.000Z')).toBe(
      '94,359 used requests of this month are forgiven; 100,000 are available until 1 Dec (UTC). The history stays.',
    );
    expect(describeReset(0, { limit: 6_000, granted: 5_000 }, '2026-12-01T00:00:00.000Z')).toContain(
      '6,000 are available, 5,000 of them until their grants end, the others until 1 Dec (UTC).',
    );
    expect(describeReset(1, { limit: 1_000, granted: 0 }, '2027-01-01T00:00:00.000Z')).toBe(
      '1 used request of this month is forgiven; 1,000 are available until 1 Jan (UTC). The history stays.',
    );
  });
});

describe('the requests to try a key with', () => {
  it('go to this origin and hold no secret', () => {
    for (const { source } of buildKeyExamples('https://sluice.example.com')) {
      expect(source).toContain("'https://sluice.example.com/");
      expect(source).toContain('YOUR_SECRET');
    }
  });
});
