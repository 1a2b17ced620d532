import { z } from 'zod';
import { overrides } from '@/drizzle/schema';
import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { parseTime } from '@/lib/admin/change-kind/record';
import { formatOverrideOverlaps, joinSentences } from '@/lib/admin/effect/sentences';
import { describeUnpayableCosts, wrapOverrideLimit } from '@/lib/admin/effect/unpayable-costs';
import { findOverlaps } from '@/lib/admin/exception-kind/overlaps';
import { buildExceptionReversal, identifyException } from '@/lib/admin/exception-kind/reversal';
import {
  DemandOfOverrides,
  describeOverrideEffect,
  selectClassOverride,
  selectNamedOverride,
} from '@/lib/admin/overrides/override-sentence';
import { buildNumberColumns, OVERRIDES } from '@/lib/admin/overrides/row';
import { describeSubjectEffect } from '@/lib/admin/overrides/subject-sentence';
import { NamedNumbersSchema } from '@/lib/contract/fields/numbers';
import type { Override } from '@/lib/contract/overrides';

const Edited = z.object({
  reason: z.string(),
  expires_at: z.string().nullable(),
  limit: z.number(),
  window_seconds: z.number(),
  ...NamedNumbersSchema.shape,
});

const OVERRIDE: ChangeKind = {
  thing: identifyException,
  reversal: buildExceptionReversal({
    kind: OVERRIDES,
    table: overrides,
    members: ['reason', 'expires_at', 'limit', 'window_seconds', 'windows', 'in_flight'],
    columns: (before) => {
      const { reason, expires_at, ...numbers } = Edited.parse(before);
      return { reason, expiresAt: parseTime(expires_at), ...buildNumberColumns(numbers) };
    },
    words: {
      gone: 'has the usual limit again',
      back: 'has its own limit again',
      edited: 'The override of',
    },
  }),
  async effect(context, { before, after }) {
    const [old = null, changed = null] = [before, after] as (Override | null | undefined)[];
    const named = await describeSubjectEffect(context, selectNamedOverride(old), selectNamedOverride(changed));
    if (named !== null) return named;
    const own = selectClassOverride(changed);
    const rules = await context.services.rules.readFresh();
    const demand = new DemandOfOverrides(context);
    const sentence = await describeOverrideEffect(demand, selectClassOverride(old), own, {
      before: rules.policies,
      after: rules.policies,
    });
    if (own === null) return sentence;
    const limits = wrapOverrideLimit(own, rules.findIncident(context.now)?.factor);
    const overlaps = formatOverrideOverlaps(findOverlaps(rules, own, context.now));
    return joinSentences(sentence, overlaps, describeUnpayableCosts(rules.routeRules, limits));
  },
};

export const OVERRIDE_CHANGES: ChangeKinds<'override'> = {
  'override.set': OVERRIDE,
  'override.replace': OVERRIDE,
  'override.remove': OVERRIDE,
};
