import { describe, expect, it } from 'vitest';
import { computeDifferences } from '@/components/audit-log/differences';
import { formatAuditSentence } from '@/components/audit-log/sentences';
import { findTargetHref } from '@/components/audit-log/target-href';
import { describeDecision } from '@/components/decisions/decision-words';
import { buildAnswer } from '@/components/help/answer';
import { describeEffect, predictEffect } from '@/components/help/effect';
import { chooseSubjectKind } from '@/components/help/what-helps';
import { buildQuestion, rebuildRequest } from '@/components/links/explain-question';
import { buildHelpRequest } from '@/components/links/help-target';
import { formatQuestion, parseQuestion } from '@/components/links/question-url';
import {
  buildLimitValues,
  buildNamedLimit,
  buildWindows,
  LimitForm,
  type LimitValues,
} from '@/components/named-limits/limit-form-values';
import { describeLimit } from '@/components/named-limits/limit-sentence';
import { LIMIT_TEMPLATES } from '@/components/named-limits/limit-templates';
import { groupByLimit } from '@/components/named-limits/named-meter';
import { suggestWindow } from '@/components/named-limits/windows-editor';
import { omitDefaults } from '@/components/route-rules/omit-defaults';
import { buildRuleValues } from '@/components/route-rules/route-rule-values';
import { nameReason } from '@/components/vocabulary/reasons';
import type { AuditRecord } from '@/lib/contract/audit-log';
import type { InspectedCounter } from '@/lib/contract/counters';
import { type NamedLimit, NewNamedLimit } from '@/lib/contract/named-limits';
import { loggedRefusal } from '../../fixtures/decision-event';
import { explainedSubject, explanationOf } from '../../fixtures/explanation';
import { table } from '../../fixtures/table';

type Described = Parameters<typeof describeLimit>[0];

describe('what a limit means, in a sentence', () => {
  const sentences: [string, Described, string][] = [
    [
      'several windows',
      {
        windows: [
          { limit: 10, seconds: 1 },
          { limit: 1_000, seconds: 3_600 },
        ],
      },
      'At most 10 in any second and 1,000 in any hour, for each subject.',
    ],
    [
      'a unit, which is named once',
      {
        unit: 'tokens',
        windows: [
          { limit: 5, seconds: 30 },
          { limit: 50, seconds: 5_400 },
          { limit: 500, seconds: 172_800 },
        ],
      },
      'At most 5 tokens in any 30 seconds, 50 in any 90 minutes and 500 in any 2 days, for each subject.',
    ],
    [
      'a unit, in the plural',
      {
        unit: 'codes',
        windows: [
          { limit: 1, seconds: 30 },
          { limit: 5, seconds: 3_600 },
        ],
      },
      'At most 1 in any 30 seconds and 5 codes in any hour, for each subject.',
    ],
    ['a month', { windows: [{ limit: 9, seconds: 'month' }] }, 'At most 9 in each month, for each subject.'],
    [
      'a month with its day, and places',
      { windows: [{ limit: 9, seconds: 'month', day: 15 }], in_flight: { limit: 2 } },
      'At most 9 in each month from day 15 and 2 in flight at once, for each subject.',
    ],
    [
      'places alone',
      { windows: [], in_flight: { limit: 2 }, unit: 'exports' },
      'At most 2 exports in flight at once, for each subject.',
    ],
    ['a limit of 0', { windows: [{ limit: 0, seconds: 1 }] }, 'Nothing: a limit of 0 refuses everything.'],
    ['no number yet', { windows: [{ limit: Number.NaN, seconds: 1 }] }, ''],
    ['no length yet', { windows: [{ limit: 1, seconds: Number.NaN }] }, ''],
    ['nothing', { windows: [] }, ''],
  ];
  table('%s', (_, limit: Described) => describeLimit(limit), sentences);
});

describe('the form of a limit', () => {
  const start = (change: Partial<LimitValues> = {}) => ({ ...buildLimitValues(LIMIT_TEMPLATES.sms.limit), ...change });
  const faults = (change: Partial<LimitValues>) =>
    (LimitForm.safeParse(start(change)).error?.issues ?? []).map(({ path }) => path.join('.'));

  it.each(Object.entries(LIMIT_TEMPLATES))('the template %s is a limit', (_, { limit }) => {
    const values = buildLimitValues(limit);
    expect(LimitForm.safeParse(values).error).toBeUndefined();
    const { reason: _reason, ...rest } = values;
    expect(NewNamedLimit.parse(buildNamedLimit(rest))).toMatchObject(limit);
  });

  table('rejects %s', (_, change: Partial<LimitValues>) => faults(change), [
    ['nothing of the template', {}, []],
    ['capitals in the name', { name: 'SMS' }, ['name']],
    ['no window and no places', { windows: [] }, ['windows']],
    [
      'two windows of one length',
      {
        windows: [
          { limit: 1, seconds: 60, day: 1 },
          { limit: 2, seconds: 60, day: 1 },
        ],
      },
      ['windows.1.seconds'],
    ],
    ['a fraction', { windows: [{ limit: 1.5, seconds: 60, day: 1 }] }, ['windows.0.limit']],
    ['more than 90 days', { windows: [{ limit: 1, seconds: 7_776_001, day: 1 }] }, ['windows.0.seconds']],
    ['a lease over an hour', { in_flight: { limit: 1, lease_seconds: 3_601 } }, ['in_flight.lease_seconds']],
  ]);

  it('sends windows from the shortest to the longest, whatever their order', () => {
    const rows = [
      { limit: 3, seconds: 'month' as const, day: 15 },
      { limit: 2, seconds: 3_600, day: 1 },
      { limit: 1, seconds: 1, day: 1 },
    ];
    expect(buildWindows(rows)).toEqual([
      { limit: 1, seconds: 1 },
      { limit: 2, seconds: 3_600 },
      { limit: 3, seconds: 'month', day: 15 },
    ]);
  });

  it('proposes a longer window with a higher limit', () => {
    expect(suggestWindow([])).toEqual({ limit: 10, seconds: 1, day: 1 });
    expect(suggestWindow([{ limit: 5, seconds: 60, day: 1 }])).toEqual({ limit: 50, seconds: 3_600, day: 1 });
    expect(suggestWindow([{ limit: 5, seconds: 86_400, day: 1 }])).toEqual({ limit: 50, seconds: 'month', day: 1 });
  });

  it('gives the limit back as it was', () => {
    const limit: Partial<NamedLimit> = {
      windows: [{ limit: 3, seconds: 'month', day: 3 }],
      tiers: { business: [{ limit: 9, seconds: 1 }] },
      in_flight: { limit: 2, lease_seconds: 5 },
      lease: 7,
    };
    const { reason: _, ...values } = buildLimitValues(limit);
    expect(buildNamedLimit(values)).toMatchObject(limit);
  });
});

describe('a refusal by a named limit', () => {
  const phone = '+4915112345678';
  const refusal = loggedRefusal(phone, {
    ...{ class: null, subject: 'limit', limit_name: 'sms', source: 'limit', method: null, path: null, ip: null },
    ...{ limit: 5, used: 5, window_seconds: 3_600 },
  });
  const subject = explainedSubject({
    ...{ subject: 'limit', limit_name: 'sms', identifier: phone, counted_as: phone },
    ...{ limit: 5, used: 5, window_seconds: 3_600, source: { kind: 'limit', id: 'sms', detail: 'Limit sms' } },
  });
  const short = { ...subject, window_seconds: 30, limit: 1, used: 0, refuses: false };
  const explanation = explanationOf({ class: null, subjects: [short, subject] });
  const request = buildHelpRequest(refusal);

  it('is described in words', () => {
    expect(describeDecision(refusal)).toBe('Refused: 5 of 5 units in 1 h of the limit sms were used.');
    expect(nameReason('rate_limit_exceeded', 'sms')).toBe('Limit sms');
    expect(nameReason('rate_limit_exceeded', null)).toBe('Address limit');
  });

  it('is about the subject, and asks the same again', () => {
    expect(request).toMatchObject({ type: 'subject', identifier: phone });
    const asked = rebuildRequest(refusal);
    expect(asked).toEqual({ limits: [{ name: 'sms', subject: phone }] });
    expect(parseQuestion({ ...formatQuestion(asked), request_id: '' })).toEqual(asked);
  });

  it('is asked for every limit where nothing was refused', () => {
    expect(buildQuestion({ type: 'subject', identifier: phone }, undefined, 'read', ['sms', 'mail'])).toEqual({
      limits: [
        { name: 'sms', subject: phone },
        { name: 'mail', subject: phone },
      ],
    });
  });

  it('is answered with the window that refuses, and helped by a reset', () => {
    const at = { decision: refusal, explanation, now: Date.parse(explanation.at), zone: 'UTC' };
    expect(buildAnswer({ request: request ?? { type: 'subject', identifier: phone }, ...at }).sentence).toBe(
      `${phone} is refused in sms: 5 of 5 in 1 h, by the limit, until 12:00:10 UTC.`,
    );
    expect(chooseSubjectKind({ type: 'subject', identifier: phone }, refusal, explanation)).toBe('limit');
    const reset = predictEffect(explanation, { kind: 'reset', subject: 'limit', limit_name: 'sms' });
    expect(describeEffect(reset)).toBe('the next request would be allowed');
    const other = predictEffect(explanation, { kind: 'reset', subject: 'limit', limit_name: 'mail' });
    expect(describeEffect(other)).toBe('the next request would still be refused, by a named limit');
  });
});

describe('changes of limits in the audit log', () => {
  const record = (change: Partial<AuditRecord>): AuditRecord =>
    ({ actor_name: 'owner@example.com', target: 'sms', target_type: 'limit', undoes: null, ...change }) as AuditRecord;
  const windows = [
    { limit: 1, seconds: 30 },
    { limit: 900, seconds: 'month', day: 15 },
  ];

  const changes: [string, Partial<AuditRecord>, string][] = [
    [
      'a new limit',
      { action: 'limit.create', before: null, after: { windows } },
      'owner@example.com created the limit sms: 1 in 30 s and 900 a month from day 15',
    ],
    [
      'the removal of one',
      { action: 'limit.remove', before: { windows }, after: null },
      'owner@example.com removed the limit sms',
    ],
    [
      'a reset',
      { action: 'counters.reset', target: '+49', before: null, after: { type: 'subject', limit_name: 'sms' } },
      'owner@example.com reset the counters of +49 in the limit sms',
    ],
  ];
  table('%s', (_, change: Partial<AuditRecord>) => formatAuditSentence(record(change)), changes);

  it('lists windows in words', () => {
    expect(computeDifferences({ windows: [windows[0]] }, { windows })).toEqual(
      [{ label: 'Added', before: null, after: '900 a month from day 15' }].map((each) => ({
        ...each,
        label: 'Windows',
      })),
    );
  });

  it('leads to the limits, and from a reset to the subject', () => {
    expect(findTargetHref(record({ action: 'limit.update', before: {}, after: {} }))).toBe('/limits#named-limits');
    const reset = { action: 'counters.reset', target_type: 'counters', before: null, after: { type: 'subject' } };
    expect(findTargetHref(record(reset))).toBe('/limits/inspect?type=subject&identifier=sms');
  });
});

describe('route rules that name limits', () => {
  const rule = { method: 'POST', path: '/sms', class: 'write' } as const;

  it('are sent as they were', () => {
    const rules = [
      { ...rule, limits: [{ name: 'sms', subject: 'header:x-phone' as const }] },
      { ...rule, limits: [{ name: 'sms', subject: 'ip' as const, cost: 2 }] },
      rule,
    ];
    expect(omitDefaults(buildRuleValues(rules).rules)).toEqual(rules);
  });

  it('omit a cost of 1', () => {
    const limits = [{ name: 'sms', subject: 'ip' as const, cost: 1 }];
    expect(omitDefaults([{ ...rule, limits }])).toEqual([{ ...rule, limits: [{ name: 'sms', subject: 'ip' }] }]);
  });

  it('say so among the differences', () => {
    const [difference] = computeDifferences([], [{ ...rule, limits: [{ name: 'sms', subject: 'ip' }] }]);
    expect(difference?.after).toBe('POST /sms is Write, under sms by ip');
  });
});

it('groups the windows of one limit', () => {
  const counter = (limit_name: string | undefined, limit: number) => ({ limit_name, limit }) as InspectedCounter;
  const groups = groupByLimit([counter('a', 1), counter(undefined, 2), counter('b', 3), counter('a', 4)]);
  expect(groups.map((counters) => counters.map(({ limit }) => limit))).toEqual([[1, 4], [3]]);
});
