import type { BatchAction, BatchValues } from '@/components/batch/batch-action';
import { CallError, call } from '@/components/call';
import { type BatchOperation, type BatchResult, runBatch } from '@/lib/contract/batch';

/** Items a request: one that is broken off has done some of them, and is repeated as it was. */
const PORTION = 100;

/** What became of one row. */
export interface RowResult<Row> {
  row: Row;
  /** Why it was refused; null where it is done. */
  fault: CallError | null;
}

/**
 * Does an action to rows, a portion at a time. A portion that is sent again with the same values does each of its items
 * once: `keys` remembers the idempotency key of each.
 * @throws CallError when a portion was not answered; those before it are done
 */
export async function runOnRows<Row>(
  { callOf }: BatchAction<Row>,
  rows: readonly Row[],
  values: BatchValues,
  keys: Map<string, string>,
): Promise<RowResult<Row>[]> {
  const byOperation = new Map<BatchOperation, { row: Row; item: Readonly<Record<string, unknown>> }[]>();
  for (const row of rows) {
    const { operation, item } = callOf(row, values);
    byOperation.set(operation, [...(byOperation.get(operation) ?? []), { row, item }]);
  }
  const results: RowResult<Row>[] = [];
  for (const [operation, all] of byOperation) {
    for (let from = 0; from < all.length; from += PORTION) {
      const portion = all.slice(from, from + PORTION);
      const body = { operation, items: portion.map(({ item }) => item) };
      const text = JSON.stringify(body);
      const idempotencyKey = keys.get(text) ?? crypto.randomUUID();
      keys.set(text, idempotencyKey);
      const { value } = await call(runBatch, { body, idempotencyKey });
      results.push(...portion.map(({ row }, i) => ({ row, fault: faultOf(value.results[i]) })));
    }
  }
  return results;
}

function faultOf(result: BatchResult | undefined): CallError | null {
  if (result?.error === undefined) return null;
  const { error, error_description: description, details } = result.error;
  return new CallError({ status: result.status, error, description, details });
}
