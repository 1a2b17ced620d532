import { planChanges } from '@/lib/admin/state/plan-changes';
import { readSnapshot } from '@/lib/admin/state/snapshot';
import { planState as contract } from '@/lib/contract/state';
import { implement } from '@/lib/operation/operation';

/** Shows the changes that applying a document would make now. */
export const planState = implement(contract, async (context, { query, body }) => {
  const snapshot = await readSnapshot(context.services, context.now);
  const { changes } = await planChanges(context, snapshot, body, query.prune === 'true');
  return { revision: snapshot.revision, changes };
});
