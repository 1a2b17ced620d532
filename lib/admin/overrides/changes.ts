import { z } from 'zod';
import { overrides } from '@/drizzle/schema';
import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { parseTime } from '@/lib/admin/change-kind/record';
import { joinSentences, overlappedOverrideWords } from '@/lib/admin/effect/sentences';
import { limitOfOverride, unpayableSentence } from '@/lib/admin/effect/unpayable-costs';
import { findOverlaps } from '@/lib/admin/exception-kind/overlaps';
import { exceptionReversal, exceptionThing } from '@/lib/admin/exception-kind/reversal';
import { asOfClass, asOfNamed, DemandOfOverrides, overrideSentence } from '@/lib/admin/overrides/override-sentence';
import { OVERRIDES, toNumberColumns } from '@/lib/admin/overrides/row';
import { subjectSentence } from '@/lib/admin/overrides/subject-sentence';
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
  thing: exceptionThing,
  reversal: exceptionReversal({
    kind: OVERRIDES,
    table: overrides,
    members: ['reason', 'expires_at', 'limit', 'window_seconds', 'windows', 'in_flight'],
    columns: (before) => {
      const { reason, expires_at, ...numbers } = Edited.parse(before);
      return { reason, expiresAt: parseTime(expires_at), ...toNumberColumns(numbers) };
    },
    words: {
      gone: 'has the usual limit again',
      back: 'has its own limit again',
      edited: 'The override of',
    },
  }),
  async effect(context, { before, after }) {
    const [old = null, changed = null] = [before, after] as (Override | null | undefined)[];
    const named = await subjectSentence(context, asOfNamed(old), asOfNamed(changed));
    if (named !== null) return named;
    const own = asOfClass(changed);
    const rules = await context.services.rules.readFresh();
    const demand = new DemandOfOverrides(context);
    const sentence = await overrideSentence(demand, asOfClass(old), own, {
      before: rules.policies,
      after: rules.policies,
    });
    if (own === null) return sentence;
    const limits = limitOfOverride(own, rules.findIncident(context.now)?.factor);
    const overlaps = overlappedOverrideWords(findOverlaps(rules, own, context.now));
    return joinSentences(sentence, overlaps, unpayableSentence(rules.routeRules, limits));
  },
};

export const OVERRIDE_CHANGES: ChangeKinds<'override'> = {
  'override.set': OVERRIDE,
  'override.replace': OVERRIDE,
  'override.remove': OVERRIDE,
};
