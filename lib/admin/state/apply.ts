import { setImmediate } from 'node:timers/promises';
import { change } from '@/lib/admin/change';
import { planChanges } from '@/lib/admin/state/plan-changes';
import { readSnapshot } from '@/lib/admin/state/snapshot';
import { applyState as contract } from '@/lib/contract/state';
import { requireMatch, revisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Makes the rules what a document says: all changes, each with its record, in one transaction. */
export const applyState = implement(contract, (context, { query, body }) => {
  const { services, facts, now } = context;
  return change(context, async () => {
    // Its revision is that of the change, or another process was first, and the change is planned again.
    const snapshot = await readSnapshot(services, now);
    requireMatch(facts.ifMatch, revisionTag(snapshot.revision));
    await setImmediate();
    const plan = await planChanges(context, snapshot, body, query.prune === 'true');
    const { records, changes, secrets } = plan;
    const revision = snapshot.revision + records.length;
    return {
      audit: records,
      statements: plan.writes(services.database),
      result: new Reply({ revision, changes, secrets }, { headers: { ETag: revisionTag(revision) } }),
    };
  });
});
