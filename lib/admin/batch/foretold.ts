import { setImmediate } from 'node:timers/promises';
import type { BatchItem } from '@/lib/admin/batch/item-runner';
import { readMembers } from '@/lib/admin/change-kind/record';
import type { BatchOperation, BatchResult } from '@/lib/contract/batch';
import type { ForeseenChange } from '@/lib/contract/preview';
import { createTrialCounters as trialCounters } from '@/lib/counters/trial-counters';
import { trialOf as trialDatabase } from '@/lib/db/trial-database';
import type { Context } from '@/lib/operation/context';

interface ForetoldBatch {
  operation: BatchOperation;
  items: readonly BatchItem[];
  run(context: Context, item: BatchItem): Promise<BatchResult>;
}

/** The operation that a change before it can also make possible. */
const FREED = 'undoChange';

/**
 * The results of a batch that is not done, each item on what those before it would have left. An item that touches
 * nothing that they touched is planned on what is there: to see what they left costs the more the more there are.
 */
export async function foretold(
  context: Context,
  preview: ForeseenChange[],
  { operation, items, run }: ForetoldBatch,
): Promise<BatchResult[]> {
  const { services } = context;
  const [database, counters] = [trialDatabase(services.database), trialCounters(services.counters)];
  const touched = new Set<string>();
  const tried = async (item: BatchItem, isAside: boolean) => {
    database.trial.isAside = isAside;
    const changes: ForeseenChange[] = [];
    const result = await run({ ...context, services: { ...services, database, counters }, preview: changes }, item);
    return { result, changes };
  };
  const results: BatchResult[] = [];
  for (const item of items) {
    const forget = [database.trial.mark(), counters.mark()];
    let { result, changes } = await tried(item, true);
    const depends = changes.flatMap(thingsOf).some((thing) => touched.has(thing));
    if (touched.size > 0 && (depends || (operation === FREED && result.error !== undefined))) {
      for (const each of forget) each();
      ({ result, changes } = await tried(item, false));
    }
    for (const thing of changes.flatMap(thingsOf)) touched.add(thing);
    results.push(result);
    preview.push(...changes);
    await setImmediate();
  }
  return results;
}

/** What other items may depend on: its target, the names that it takes or frees, and of members the owners who are left. */
function thingsOf({ target_type: type, target, before, after }: ForeseenChange): string[] {
  if (type === 'member') return [type];
  const names = [before, after].flatMap((value) => readMembers(value).name ?? []);
  return [target, ...names].map((thing) => JSON.stringify([type, thing]));
}
