import { describe, expect, it } from 'vitest';
import { CONTRACTS } from '@/lib/contract/contracts';

/** Operations with another method than GET that leave no audit record, or one that nobody asked for. */
const CHANGES_NOTHING = new Set([
  'answerAuthorization',
  'compareInLab',
  'dryRunPolicies',
  'explainDecision',
  'planState',
  // Its items have reasons.
  'runBatch',
  'playReplay',
  'readInvitation',
  'runHousekeeping',
  'sendOAuthRequest',
]);

const writing = CONTRACTS.filter(
  ({ id, method, servedBy }) => method !== 'GET' && servedBy === undefined && !CHANGES_NOTHING.has(id),
);

describe('every change can say why it is made', () => {
  it.each(writing.map((contract) => [contract.id, contract] as const))('%s', (_, { reason, query, body, example }) => {
    expect(reason).toBeDefined();
    if (reason === 'query') {
      expect(query?.parse({ reason: '  Ticket 900 ' })).toEqual({ reason: 'Ticket 900' });
      expect(query?.parse({})).toEqual({});
      for (const wrong of ['', ' ', 'x'.repeat(501), 'a\u0007b'])
        expect(query?.safeParse({ reason: wrong }).success).toBe(false);
    } else {
      const given = { ...(example?.body as object), reason: 'Ticket 900' };
      expect(body?.schema.parse(given)).toMatchObject({ reason: 'Ticket 900' });
    }
  });
});
