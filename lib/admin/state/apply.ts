import { change } from '@/lib/admin/change';
import { planChanges } from '@/lib/admin/state/plan-changes';
import { readSnapshot } from '@/lib/admin/state/snapshot';
import { applyState as contract } from '@/lib/contract/state';
import { buildRevisionTag, requireMatch } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';
import { takeTurn } from '@/lib/take-turn';

/** Applies a state document: all changes, each with its record, in one transaction. */
export const applyState = implement(contract, (context, { query, body }) => {
  const { services, facts, now } = context;
  return change(context, async () => {
    // The snapshot has the revision before this change. Otherwise another process was first, and `change` plans again.
    const snapshot = await readSnapshot(services, now);
    requireMatch(facts.ifMatch, buildRevisionTag(snapshot.revision));
    await takeTurn();
    const plan = await planChanges(context, snapshot, body, query.prune === 'true');
    const { records, changes, secrets } = plan;
    const revision = snapshot.revision + records.length;
    return {
      audit: records,
      statements: plan.buildWrites(services.database),
      result: new Reply({ revision, changes, secrets }, { headers: { ETag: buildRevisionTag(revision) } }),
    };
  });
});
