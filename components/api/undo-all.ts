import { batchFault } from '@/components/api/batch-fault';
import { call } from '@/components/api/call';
import { runBatch } from '@/lib/contract/batch';

/** Changes that one request takes back. */
const PORTION = 100;

/**
 * Takes several changes back, in this order. @returns what is back, in a sentence
 * @throws CallError of the first that could not be taken back; the others are
 */
export async function undoAll(changes: readonly number[]): Promise<string> {
  const results = [];
  for (let from = 0; from < changes.length; from += PORTION) {
    const items = changes.slice(from, from + PORTION).map((seq) => ({ seq }));
    results.push(...(await call(runBatch, { body: { operation: 'undoChange', items } })).value.results);
  }
  const [fault] = results.flatMap((result) => batchFault(result) ?? []);
  if (fault !== undefined) throw fault;
  return 'All of it is taken back.';
}
