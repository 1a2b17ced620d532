import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { buildDocumentReversal, type Restore } from '@/lib/admin/change-kind/document-reversal';
import { refuseUnless } from '@/lib/admin/change-kind/reversal';
import { listNamedLimit, listOwnLimits } from '@/lib/admin/effect/met-limits';
import { joinSentences } from '@/lib/admin/effect/sentences';
import { describeCosts } from '@/lib/admin/effect/unpayable-costs';
import { describeLimitChange } from '@/lib/admin/named-limits/change-sentence';
import { describeLimitRemoval } from '@/lib/admin/named-limits/removal-sentence';
import { StoredNamedLimitSchema, StoredNamedLimitsSchema } from '@/lib/contract/fields/named-limit';
import { LIMITS_SETTING } from '@/lib/enforcement/rules-cache';

/** Restores only the limit of one name, so that changes of others stay. */
const restoreLimit: Restore = async (_, { target, after }, before, present = []) => {
  const [old, stored] = [before, present].map((list) => StoredNamedLimitsSchema.parse(list));
  const left = StoredNamedLimitsSchema.parse(after === null ? [] : [after]);
  const serializeLimit = (list: typeof left | undefined) =>
    JSON.stringify(list?.find(({ name }) => name === target) ?? null);
  refuseUnless(serializeLimit(stored) === serializeLimit(left));
  const others = (stored ?? []).filter(({ name }) => name !== target);
  return [...others, ...(old ?? []).filter(({ name }) => name === target)].sort((a, b) => (a.name < b.name ? -1 : 1));
};

const LIMIT: ChangeKind = {
  thing: ({ target }) => `limit ${target}`,
  reversal: buildDocumentReversal(LIMITS_SETTING, 'The limit was restored.', restoreLimit),
  /** Says what names a limit that is removed, what changed numbers would have refused, and which costs they never admit. */
  async effect(context, { before, after }) {
    const [old, changed] = [before, after].map((limit) => StoredNamedLimitSchema.safeParse(limit).data);
    if (changed === undefined) return old === undefined ? null : describeLimitRemoval(context, old.name);
    const replay = old === undefined ? null : await describeLimitChange(context, old, changed);
    const rules = await context.services.rules.readFresh();
    // Numbers of keys and of subjects for a removed limit of its name apply to it.
    const own = [...listOwnLimits(rules, context.now)].filter(({ name }) => name === changed.name);
    return joinSentences(replay, describeCosts(rules, context.now, [...listNamedLimit(changed), ...own]));
  },
};

export const LIMIT_CHANGES: ChangeKinds<'limit'> = {
  'limit.create': LIMIT,
  'limit.update': LIMIT,
  'limit.remove': LIMIT,
};
