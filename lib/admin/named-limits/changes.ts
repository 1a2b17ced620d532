import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { documentReversal, type Restore } from '@/lib/admin/change-kind/document-reversal';
import { refuseUnless } from '@/lib/admin/change-kind/reversal';
import { withUses } from '@/lib/admin/named-limits/stored';
import { StoredNamedLimitSchema, StoredNamedLimitsSchema } from '@/lib/contract/fields/named-limit';
import { LIMITS_SETTING } from '@/lib/enforcement/rules-cache';

/** Restores only the limit of one name, so that changes of others stay. */
const restoreLimit: Restore = async (_, { target, after }, kept, present = []) => {
  const [old, stored] = [kept, present].map((list) => StoredNamedLimitsSchema.parse(list));
  const left = StoredNamedLimitsSchema.parse(after === null ? [] : [after]);
  const limitIn = (list: typeof left | undefined) => JSON.stringify(list?.find(({ name }) => name === target) ?? null);
  refuseUnless(limitIn(stored) === limitIn(left));
  const others = (stored ?? []).filter(({ name }) => name !== target);
  return [...others, ...(old ?? []).filter(({ name }) => name === target)].sort((a, b) => (a.name < b.name ? -1 : 1));
};

const plural = (many: number, thing: string) => `${many} ${thing}${many === 1 ? '' : 's'}`;

const LIMIT: ChangeKind = {
  thing: ({ target }) => `limit ${target}`,
  reversal: documentReversal(LIMITS_SETTING, 'The limit was restored.', restoreLimit),
  /** Says who names a limit that is removed. */
  async effect(context, { before, after }) {
    const removed = StoredNamedLimitSchema.safeParse(before);
    if (after !== null || !removed.success) return null;
    const [limit] = await withUses(context.services.database, [removed.data]);
    const { route_rules: rules = 0, api_keys: keys = 0 } = limit?.used_by ?? {};
    if (rules + keys === 0) return 'No route rule and no API key names it. Checks that name it get 400.';
    return `${plural(rules, 'route rule')} and ${plural(keys, 'API key')} name it and go on without it. Checks that name it get 400.`;
  },
};

export const LIMIT_CHANGES: ChangeKinds<'limit'> = {
  'limit.create': LIMIT,
  'limit.update': LIMIT,
  'limit.remove': LIMIT,
};
