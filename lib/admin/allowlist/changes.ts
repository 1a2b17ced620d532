import { z } from 'zod';
import { AdmittedDemand, describeAdmission } from '@/lib/admin/allowlist/admission-sentence';
import { describeBypassEnd } from '@/lib/admin/allowlist/bypass-sentence';
import { ALLOWLIST_ENTRIES } from '@/lib/admin/allowlist/row';
import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { parseTime } from '@/lib/admin/change-kind/record';
import { listPolicyLimits } from '@/lib/admin/effect/met-limits';
import { joinSentences } from '@/lib/admin/effect/sentences';
import { describeCosts } from '@/lib/admin/effect/unpayable-costs';
import { buildExceptionReversal, identifyException } from '@/lib/admin/exception-kind/reversal';
import type { AllowlistEntry } from '@/lib/contract/allowlist';

const Edited = z.object({ reason: z.string(), expires_at: z.string().nullable() });

const ENTRY: ChangeKind = {
  thing: identifyException,
  reversal: buildExceptionReversal({
    kind: ALLOWLIST_ENTRIES,
    members: ['reason', 'expires_at'],
    columns: (before) => {
      const { reason, expires_at } = Edited.parse(before);
      return { reason, expiresAt: parseTime(expires_at) };
    },
    words: {
      gone: 'is no longer on the allowlist',
      back: 'is back on the allowlist',
      edited: 'The allowlist entry of',
    },
  }),
  async effect(context, { before, after }) {
    const [old, changed] = [before, after] as (AllowlistEntry | null | undefined)[];
    if (old == null) return changed == null ? null : describeAdmission(new AdmittedDemand(context), changed);
    const rules = await context.services.rules.readFresh();
    const warning = describeCosts(rules, context.now, listPolicyLimits(rules.policies));
    if (changed == null) return joinSentences(await describeBypassEnd(context, old.id), warning);
    const end = changed.expires_at;
    if (end === null || (old.expires_at !== null && Date.parse(end) >= Date.parse(old.expires_at))) return null;
    return joinSentences(`It ends at ${end}.`, await describeBypassEnd(context, old.id), warning);
  },
};

export const ALLOWLIST_CHANGES: ChangeKinds<'allowlist'> = {
  'allowlist.add': ENTRY,
  'allowlist.replace': ENTRY,
  'allowlist.remove': ENTRY,
};
