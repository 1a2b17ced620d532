import { and, asc, eq, gt } from 'drizzle-orm';
import { audit, keptSettings } from '@/drizzle/schema';
import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { changedPaths, valueAt, withValueAt } from '@/lib/admin/change-kind/changed-paths';
import { documentReversal, type Restore } from '@/lib/admin/change-kind/document-reversal';
import { refuseUnless } from '@/lib/admin/change-kind/reversal';
import { joinSentences, replaySentence } from '@/lib/admin/effect/sentences';
import { limitsOfPolicies, unpayableSentence } from '@/lib/admin/effect/unpayable-costs';
import { replayPolicies } from '@/lib/admin/policies/dry-run';
import { PoliciesSchema } from '@/lib/contract/policies';
import type { Database } from '@/lib/db/database';
import { POLICIES_SETTING } from '@/lib/enforcement/rules-cache';

/** Only the limits that the change has changed, so that later changes of others stay. */
const restoreLimits: Restore = async (database, { seq }, kept, present = {}) => {
  const left = await leftBy(database, seq, present);
  if (JSON.stringify(left) === JSON.stringify(present)) return kept;
  const paths = changedPaths(kept, left);
  const isAsLeft = paths.every(
    (path) => changedPaths({ at: valueAt(present, path) }, { at: valueAt(left, path) }).length === 0,
  );
  refuseUnless(isAsLeft);
  return paths.reduce<unknown>((document, path) => withValueAt(document, path, valueAt(kept, path)), present);
};

/** The stored policies as a change has left them: what the next one has kept. */
async function leftBy(database: Database, seq: number, present: unknown): Promise<unknown> {
  const next = and(eq(audit.targetType, 'policies'), eq(audit.target, POLICIES_SETTING), gt(audit.seq, seq));
  const rows = await database.drizzle
    .select({ value: keptSettings.value })
    .from(audit)
    .innerJoin(keptSettings, eq(keptSettings.revision, audit.seq))
    .where(next)
    .orderBy(asc(audit.seq))
    .limit(1);
  return rows[0] === undefined ? present : JSON.parse(rows[0].value);
}

export const POLICY_CHANGES: ChangeKinds<'policies'> = {
  'policies.update': {
    thing: 'limits',
    /** Only changes of the same limits do. */
    overlaps(one, other) {
      const changed = new Set(changedPaths(one.before, one.after).map((path) => path.join('.')));
      return changedPaths(other.before, other.after).some((path) => changed.has(path.join('.')));
    },
    reversal: documentReversal(POLICIES_SETTING, 'The limits were restored.', restoreLimits),
    async effect({ services, now }, { before, after }) {
      const [old, changed] = [before, after].map((policies) => PoliciesSchema.safeParse(policies).data);
      if (old === undefined || changed === undefined) return null;
      const rules = await services.rules.readFresh();
      const sentence = replaySentence(await replayPolicies(services, now, old, changed));
      return joinSentences(
        sentence,
        unpayableSentence(rules.routeRules, limitsOfPolicies(changed, rules.findIncident(now)?.factor)),
      );
    },
  },
};
