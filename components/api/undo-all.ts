import { findBatchFault } from '@/components/api/batch-fault';
import { call } from '@/components/api/call';
import { runBatch } from '@/lib/contract/batch';
import { splitInSteps } from '@/lib/split-in-steps';

/** Maximum number of changes that one request undoes. */
const PORTION = 100;

/**
 * Undoes several changes in the given order.
 * @returns a sentence about what was restored
 * @throws CallError if a change could not be undone; the others are undone
 */
export async function undoAll(changes: readonly number[]): Promise<string> {
  const results = [];
  for (const portion of splitInSteps(changes, PORTION)) {
    const items = portion.map((seq) => ({ seq }));
    results.push(...(await call(runBatch, { body: { operation: 'undoChange', items } })).value.results);
  }
  const [fault] = results.flatMap((result) => findBatchFault(result) ?? []);
  if (fault !== undefined) throw fault;
  return 'All changes were undone.';
}
