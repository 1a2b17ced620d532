import { and, asc, eq, gt } from 'drizzle-orm';
import { audit, keptSettings } from '@/drizzle/schema';
import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { listChangedPaths, readValueAt, setValueAt } from '@/lib/admin/change-kind/changed-paths';
import { buildDocumentReversal, type Restore } from '@/lib/admin/change-kind/document-reversal';
import { refuseUnless } from '@/lib/admin/change-kind/reversal';
import { listPolicyLimits } from '@/lib/admin/effect/met-limits';
import { formatReplay, joinSentences } from '@/lib/admin/effect/sentences';
import { describeCosts } from '@/lib/admin/effect/unpayable-costs';
import { replayPolicies } from '@/lib/admin/policies/dry-run';
import { PoliciesSchema } from '@/lib/contract/policies';
import type { Database } from '@/lib/db/database';
import { POLICIES_SETTING } from '@/lib/enforcement/rules-cache';

/** Restores only the limits that the change touched, so that later changes of other limits stay. */
const restoreLimits: Restore = async (database, { seq }, before, present = {}) => {
  const left = await readPoliciesLeftBy(database, seq, present);
  if (JSON.stringify(left) === JSON.stringify(present)) return before;
  const paths = listChangedPaths(before, left);
  const isAsLeft = paths.every(
    (path) => listChangedPaths({ at: readValueAt(present, path) }, { at: readValueAt(left, path) }).length === 0,
  );
  refuseUnless(isAsLeft);
  return paths.reduce<unknown>((document, path) => setValueAt(document, path, readValueAt(before, path)), present);
};

/** Reads the stored policies as a change left them, which the next change has kept. */
async function readPoliciesLeftBy(database: Database, seq: number, present: unknown): Promise<unknown> {
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
    /** Compares the changed limits, because only changes of the same limit overlap. */
    overlaps(one, other) {
      const changed = new Set(listChangedPaths(one.before, one.after).map((path) => path.join('.')));
      return listChangedPaths(other.before, other.after).some((path) => changed.has(path.join('.')));
    },
    reversal: buildDocumentReversal(POLICIES_SETTING, 'The limits were restored.', restoreLimits),
    async effect({ services, now }, { before, after }) {
      const [old, changed] = [before, after].map((policies) => PoliciesSchema.safeParse(policies).data);
      if (old === undefined || changed === undefined) return null;
      const sentence = formatReplay(await replayPolicies(services, now, old, changed));
      return joinSentences(sentence, describeCosts(await services.rules.readFresh(), now, listPolicyLimits(changed)));
    },
  },
};
