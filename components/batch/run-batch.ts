import { batchFault } from '@/components/api/batch-fault';
import { CallError, call, preview } from '@/components/api/call';
import type { BatchAction, BatchCall, BatchValues, Selection } from '@/components/batch/batch-action';
import { type BatchOperation, type BatchResult, runBatch } from '@/lib/contract/batch';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';

/** Items a request: one that is broken off has done some of them, and is repeated as it was. */
const PORTION = 100;

/** What became of one row. */
export interface RowResult<Row> {
  row: Row;
  /** Why it was refused; null where it is done. */
  fault: CallError | null;
  /** The audit records that an undo of it takes back, in this order. */
  undo: readonly number[];
}

/**
 * Does an action to rows, a portion at a time. A portion that is sent again with the same values does each of its items
 * once: `keys` remembers the idempotency key of each.
 * @throws CallError when a portion was not answered; those before it are done
 */
export async function runOnRows<Row>(
  { callOf, each }: BatchAction<Row>,
  rows: readonly Row[],
  values: BatchValues,
  keys: Map<string, string>,
): Promise<RowResult<Row>[]> {
  if (each !== undefined) return oneByOne(each, rows);
  const results: RowResult<Row>[] = [];
  for (const [operation, all] of byOperation(rows, (row) => callOf(row, values))) {
    for (let from = 0; from < all.length; from += PORTION) {
      const portion = all.slice(from, from + PORTION);
      const body = { operation, items: portion.map(({ item }) => item) };
      const text = JSON.stringify(body);
      const idempotencyKey = keys.get(text) ?? crypto.randomUUID();
      keys.set(text, idempotencyKey);
      const { value } = await call(runBatch, { body, idempotencyKey });
      for (const [i, { row }] of portion.entries()) results.push({ row, ...resultOf(operation, value.results[i]) });
    }
  }
  return results;
}

async function oneByOne<Row>(each: (row: Row) => Promise<unknown>, rows: readonly Row[]): Promise<RowResult<Row>[]> {
  const results: RowResult<Row>[] = [];
  for (const row of rows) {
    const fault = await each(row).then(
      () => null,
      (reason: unknown) => {
        if (reason instanceof CallError && reason.status > 0) return reason;
        throw reason;
      },
    );
    results.push({ row, fault, undo: [] });
  }
  return results;
}

function resultOf(operation: BatchOperation, result: BatchResult | undefined) {
  return { fault: batchFault(result), undo: undoneBy(operation, result?.audit_seq ?? null) };
}

/** The audit records of a change, the newest first: a grant that gets another end is removed and added again. */
export function undoneBy(operation: BatchOperation, seq: number | null): readonly number[] {
  if (seq === null) return [];
  return operation === 'extendGrant' ? [seq, seq - 1] : [seq];
}

interface RowItem<Row> {
  row: Row;
  item: Readonly<Record<string, unknown>>;
}

function byOperation<Row>(rows: readonly Row[], callOf: (row: Row) => BatchCall) {
  const groups = new Map<BatchOperation, RowItem<Row>[]>();
  for (const row of rows) {
    const { operation, item } = callOf(row);
    groups.set(operation, [...(groups.get(operation) ?? []), { row, item }]);
  }
  return groups;
}

/**
 * Foresees an action that asks for no end. Changes nothing.
 * @returns for each row whom it would hit, or why it would be refused; null where neither is known
 */
export async function previewRows<Row>(
  { target }: Selection<Row>,
  { callOf, each }: BatchAction<Row>,
  rows: readonly Row[],
  { tier, signal }: { tier: QuotaTier; signal: AbortSignal },
): Promise<(string | null)[]> {
  if (each !== undefined) return rows.map(() => null);
  const foreseen = new Map<Row, string | null>();
  for (const [operation, all] of byOperation(rows, (row) => callOf(row, { reason: '', end: null, tier }))) {
    const items = all.map(({ item: { reason: _, ...item } }) => item);
    const { value, changes } = await preview(runBatch, { body: { operation, items }, signal });
    const { results } = runBatch.response.schema.parse(value);
    const left = [...changes];
    for (const [i, { row }] of all.entries()) {
      const refusal = results[i]?.error;
      // What changes nothing is not among the changes.
      const at = refusal === undefined ? left.findIndex((change) => change.target === target(row)) : -1;
      const [change] = at < 0 ? [] : left.splice(at, 1);
      foreseen.set(row, refusal === undefined ? (change?.effect ?? null) : `Refused: ${refusal.error_description}`);
    }
  }
  return rows.map((row) => foreseen.get(row) ?? null);
}
