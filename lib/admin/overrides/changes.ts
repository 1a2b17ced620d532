import { z } from 'zod';
import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { parseTime } from '@/lib/admin/change-kind/record';
import { LastHourDemand } from '@/lib/admin/effect/last-hour';
import { listOverrideLimits } from '@/lib/admin/effect/met-limits';
import { formatOverrideOverlaps, joinSentences } from '@/lib/admin/effect/sentences';
import { describeCosts } from '@/lib/admin/effect/unpayable-costs';
import { findOverlaps } from '@/lib/admin/exception-kind/overlaps';
import { buildExceptionReversal, identifyException } from '@/lib/admin/exception-kind/reversal';
import { listLimitsWithoutOverride } from '@/lib/admin/overrides/limits-without-override';
import {
  describeOverrideEffect,
  selectClassOverride,
  selectNamedOverride,
} from '@/lib/admin/overrides/override-sentence';
import { buildNumberColumns, OVERRIDES } from '@/lib/admin/overrides/row';
import { describeSubjectEffect } from '@/lib/admin/overrides/subject-sentence';
import { NamedNumbersSchema } from '@/lib/contract/fields/numbers';
import type { Override } from '@/lib/contract/overrides';
import type { Rules } from '@/lib/enforcement/rules';
import type { Millis } from '@/lib/units';

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
    const rules = await context.services.rules.readFresh();
    const warning = describeOverrideCosts(rules, context.now, old, changed);
    const named = await describeSubjectEffect(context, selectNamedOverride(old), selectNamedOverride(changed));
    const isNamed = (changed ?? old)?.limit_name !== undefined;
    if (isNamed) return joinSentences(named, warning);
    const own = selectClassOverride(changed);
    const demand = new LastHourDemand(context);
    const sentence = await describeOverrideEffect(demand, selectClassOverride(old), own, {
      before: rules.policies,
      after: rules.policies,
    });
    if (own === null) return joinSentences(sentence, warning);
    return joinSentences(sentence, formatOverrideOverlaps(findOverlaps(rules, own, context.now)), warning);
  },
};

/** Warns of costs that the numbers of a subject never admit, with its override or once that is removed. */
function describeOverrideCosts(rules: Rules, now: Millis, before: Override | null, after: Override | null) {
  const removed = after === null ? before : null;
  const limits =
    removed === null ? listOverrideLimits(after ?? {}) : listLimitsWithoutOverride(rules, rules.policies, removed, now);
  const present = limits.filter(({ name }) => name === undefined || rules.limits.has(name));
  return describeCosts(rules, now, present);
}

export const OVERRIDE_CHANGES: ChangeKinds<'override'> = {
  'override.set': OVERRIDE,
  'override.replace': OVERRIDE,
  'override.remove': OVERRIDE,
};
