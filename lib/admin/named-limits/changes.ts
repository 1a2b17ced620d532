import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { buildDocumentReversal, type Restore } from '@/lib/admin/change-kind/document-reversal';
import { refuseUnless } from '@/lib/admin/change-kind/reversal';
import { joinSentences } from '@/lib/admin/effect/sentences';
import { describeLimitChange } from '@/lib/admin/named-limits/change-sentence';
import { describeLimitCosts } from '@/lib/admin/named-limits/cost-warning';
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
    return joinSentences(replay, describeLimitCosts(await context.services.rules.readFresh(), context.now, changed));
  },
};

export const LIMIT_CHANGES: ChangeKinds<'limit'> = {
  'limit.create': LIMIT,
  'limit.update': LIMIT,
  'limit.remove': LIMIT,
};
