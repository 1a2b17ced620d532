import { describe, expect, it } from 'vitest';
import { buildAnswer } from '@/components/help/answer';
import type { HelpRequest } from '@/components/links/help-target';
import type { LoggedDecision } from '@/lib/contract/decisions';
import type { DecisionExplanation } from '@/lib/contract/explain';
import { loggedRefusal } from '../../../fixtures/decision-event';
import { explainedQuota, explainedSubject, explanationOf } from '../../../fixtures/explanation';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const KEY = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';

function answer(explanation: DecisionExplanation, more: { request?: HelpRequest; decision?: LoggedDecision } = {}) {
  const request = more.request ?? { type: 'ip', identifier: '203.0.113.66' };
  return buildAnswer({ request, decision: more.decision, explanation, now: NOON, zone: 'UTC' });
}

describe('one sentence answers', () => {
  it('who is refused where, how much is used, by what, and until when', () => {
    expect(answer(explanationOf())).toEqual({
      tone: 'refused',
      sentence: '203.0.113.66 is refused in Auth: 8 of 8 requests in 1 min, by the policy, until 12:00:10 UTC.',
    });
  });

  it('which override it is, and why it exists', () => {
    const source = {
      kind: 'override',
      identifier: '198.51.100.0/24',
      reason: 'a network that scrapes',
      detail: '',
    } as const;
    expect(answer(explanationOf({ subjects: [explainedSubject({ source })] })).sentence).toContain(
      'by the override of 198.51.100.0/24, “a network that scrapes”, until',
    );
  });

  it('that a limit of nothing is not waited for', () => {
    const subjects = [explainedSubject({ limit: 0, used: 0, remaining: 0, retry_after: null })];
    expect(answer(explanationOf({ subjects })).sentence).toMatch(/by the policy\. Waiting does not help\.$/);
  });

  it('that this request costs more than what is left', () => {
    const subjects = [explainedSubject({ used: 6, remaining: 2 })];
    expect(answer(explanationOf({ subjects, cost: 5 })).sentence).toContain('in 1 min, and this one costs 5, by');
  });

  it('that a quota is used up, and names the key and not the address', () => {
    const explanation = explanationOf({ subjects: [explainedSubject({ refuses: false })], quota: explainedQuota() });
    const { sentence } = answer(explanation, { decision: loggedRefusal('203.0.113.66', { subject: 'quota' }) });
    expect(sentence).toBe(
      'Key Store locator is refused: 1,000 of 1,000 requests this month, the quota of the tier Free, until 1 Dec.',
    );
  });

  it('that the limit of its client type refuses a key', () => {
    const source = { kind: 'client', id: 'public', detail: '' } as const;
    const subjects = [explainedSubject({ subject: 'client', identifier: KEY, name: 'Store locator', source })];
    expect(answer(explanationOf({ subjects })).sentence).toBe(
      'Key Store locator is refused: 8 of 8 requests in 1 min, the limit of public clients, until 12:00:10 UTC.',
    );
  });

  it('that the throttle was about nobody', () => {
    const decision = loggedRefusal('203.0.113.66', { subject: 'global', identifier: null });
    expect(answer(explanationOf(), { decision })).toMatchObject({
      tone: 'nobody',
      sentence: expect.stringContaining('there is no caller to help'),
    });
  });

  it('that they are no longer refused, and when that was', () => {
    const subjects = [explainedSubject({ used: 3, remaining: 5, refuses: false, retry_after: null })];
    const decision = loggedRefusal('203.0.113.66', { at: '2026-11-20T11:58:00.000Z' });
    expect(answer(explanationOf({ subjects }), { decision })).toEqual({
      tone: 'open',
      sentence:
        '203.0.113.66 is no longer refused in Auth: 3 of 8 requests in 1 min are used. The last refusal was at 11:58:00 UTC.',
    });
  });

  it('which allowlist entry lifts the limits, until when and why', () => {
    const bypass = {
      id: 'a',
      type: 'ip',
      identifier: '203.0.113.0/24',
      reason: 'Office',
      expires_at: '2026-11-25T09:00:00.000Z',
    } as const;
    const { tone, sentence } = answer(explanationOf({ subjects: [explainedSubject({ bypass })] }));
    expect([tone, sentence]).toEqual([
      'bypassed',
      '203.0.113.66 is not limited: 203.0.113.0/24 is on the allowlist until 25 Nov, 09:00 UTC, “Office”.',
    ]);
  });

  it('that the key itself is not valid', () => {
    const explanation = explanationOf({ subjects: [], api_key: { valid: false, id: null, name: null } });
    expect(answer(explanation).sentence).toBe('Its API key is unknown, revoked or expired. No limit is involved.');
  });
});
