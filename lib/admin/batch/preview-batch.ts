import type { BatchItem } from '@/lib/admin/batch/item-runner';
import { readMembers } from '@/lib/admin/change-kind/record';
import type { BatchOperation, BatchResult } from '@/lib/contract/batch';
import type { ForeseenChange } from '@/lib/contract/preview';
import { createTrialCounters as trialCounters } from '@/lib/counters/trial-counters';
import { createTrial as trialDatabase } from '@/lib/db/trial-database';
import type { Context } from '@/lib/operation/context';
import { takeTurn } from '@/lib/take-turn';

interface PreviewedBatch {
  operation: BatchOperation;
  items: readonly BatchItem[];
  run(context: Context, item: BatchItem): Promise<BatchResult>;
}

/** An operation that an earlier item of the batch can also make possible. */
const FREED = 'undoChange';

/**
 * Previews a batch: each item runs on the state that the items before it would leave.
 * An item that touches none of their targets runs on the stored state, because replaying earlier items costs more with
 * each one.
 */
export async function previewBatch(
  context: Context,
  preview: ForeseenChange[],
  { operation, items, run }: PreviewedBatch,
): Promise<BatchResult[]> {
  const { services } = context;
  const [database, counters] = [trialDatabase(services.database), trialCounters(services.counters)];
  const touched = new Set<string>();
  const previewItem = async (item: BatchItem, isAside: boolean) => {
    database.trial.isAside = isAside;
    const changes: ForeseenChange[] = [];
    const result = await run({ ...context, services: { ...services, database, counters }, preview: changes }, item);
    return { result, changes };
  };
  const results: BatchResult[] = [];
  for (const item of items) {
    const forget = [database.trial.mark(), counters.mark()];
    let { result, changes } = await previewItem(item, true);
    const depends = changes.flatMap(listTargets).some((thing) => touched.has(thing));
    if (touched.size > 0 && (depends || (operation === FREED && result.error !== undefined))) {
      for (const each of forget) each();
      ({ result, changes } = await previewItem(item, false));
    }
    for (const thing of changes.flatMap(listTargets)) touched.add(thing);
    results.push(result);
    preview.push(...changes);
    await takeTurn();
  }
  return results;
}

/** Lists the values on which other items may depend: the target and its names. All changes of members share one. */
function listTargets({ target_type: type, target, before, after }: ForeseenChange): string[] {
  if (type === 'member') return [type];
  const names = [before, after].flatMap((value) => readMembers(value).name ?? []);
  return [target, ...names].map((thing) => JSON.stringify([type, thing]));
}
