import { findBatchFault } from '@/components/api/batch-fault';
import { type CallAnswer, CallError, call, preview } from '@/components/api/call';
import type { BatchAction, BatchCall, BatchValues, Selection } from '@/components/batch/batch-action';
import { type BatchOperation, type BatchResult, runBatch } from '@/lib/contract/batch';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { splitInSteps } from '@/lib/split-in-steps';

/** Maximum number of items in one request. An interrupted request may have applied some; it is repeated unchanged. */
const PORTION = 100;

/** Result of one row. */
export interface RowResult<Row> {
  row: Row;
  /** Reason for a refusal. Null if the row succeeded. */
  fault: CallError | null;
  /** Audit records to undo, in this order. */
  undo: readonly number[];
}

/**
 * Applies an action to rows, one portion at a time. A retry of a portion with the same values applies each item once:
 * `keys` stores the idempotency key of each portion.
 * @throws CallError if a portion got no answer; earlier portions are applied
 */
export async function applyToRows<Row>(
  { buildCall, each }: BatchAction<Row>,
  rows: readonly Row[],
  values: BatchValues,
  keys: Map<string, string>,
): Promise<RowResult<Row>[]> {
  if (each !== undefined) return runOneByOne(each, rows);
  const results: RowResult<Row>[] = [];
  for (const [operation, all] of groupByOperation(rows, (row) => buildCall(row, values))) {
    for (const portion of splitInSteps(all, PORTION)) {
      const body = { operation, items: portion.map(({ item }) => item) };
      const text = JSON.stringify(body);
      const idempotencyKey = keys.get(text) ?? crypto.randomUUID();
      keys.set(text, idempotencyKey);
      const { value } = await call(runBatch, { body, idempotencyKey });
      for (const [i, { row }] of portion.entries()) results.push({ row, ...buildResult(operation, value.results[i]) });
    }
  }
  return results;
}

async function runOneByOne<Row>(
  each: (row: Row) => Promise<CallAnswer<unknown>>,
  rows: readonly Row[],
): Promise<RowResult<Row>[]> {
  const results: RowResult<Row>[] = [];
  for (const row of rows) {
    const result = await each(row).then(
      ({ auditSeq }) => ({ fault: null, undo: auditSeq === null ? [] : [auditSeq] }),
      (reason: unknown) => {
        if (reason instanceof CallError && reason.status > 0) return { fault: reason, undo: [] };
        throw reason;
      },
    );
    results.push({ row, ...result });
  }
  return results;
}

function buildResult(operation: BatchOperation, result: BatchResult | undefined) {
  return { fault: findBatchFault(result), undo: listAuditRecords(operation, result?.audit_seq ?? null) };
}

/**
 * Lists the audit records of a change, newest first. Extending a grant removes it and adds it again, which is two
 * records.
 */
export function listAuditRecords(operation: BatchOperation, seq: number | null): readonly number[] {
  if (seq === null) return [];
  return operation === 'extendGrant' ? [seq, seq - 1] : [seq];
}

interface RowItem<Row> {
  row: Row;
  item: Readonly<Record<string, unknown>>;
}

function groupByOperation<Row>(rows: readonly Row[], buildCall: (row: Row) => BatchCall) {
  const groups = new Map<BatchOperation, RowItem<Row>[]>();
  for (const row of rows) {
    const { operation, item } = buildCall(row);
    groups.set(operation, [...(groups.get(operation) ?? []), { row, item }]);
  }
  return groups;
}

/**
 * Previews an action that asks for no end. Changes nothing.
 * @returns the traffic that each row's change would affect, or why it would be refused; null if neither is available
 */
export async function previewRows<Row>(
  { target }: Selection<Row>,
  { buildCall, each }: BatchAction<Row>,
  rows: readonly Row[],
  { tier, signal }: { tier: QuotaTier; signal: AbortSignal },
): Promise<(string | null)[]> {
  if (each !== undefined) return rows.map(() => null);
  const foreseen = new Map<Row, string | null>();
  for (const [operation, all] of groupByOperation(rows, (row) => buildCall(row, { reason: '', end: null, tier }))) {
    const items = all.map(({ item: { reason: _, ...item } }) => item);
    const { value, changes } = await preview(runBatch, { body: { operation, items }, signal });
    const { results } = runBatch.response.schema.parse(value);
    const left = [...changes];
    for (const [i, { row }] of all.entries()) {
      const refusal = results[i]?.error;
      // An item that changes nothing has no entry in `changes`.
      const at = refusal === undefined ? left.findIndex((change) => change.target === target(row)) : -1;
      const [change] = at < 0 ? [] : left.splice(at, 1);
      foreseen.set(row, refusal === undefined ? (change?.effect ?? null) : `Refused: ${refusal.error_description}`);
    }
  }
  return rows.map((row) => foreseen.get(row) ?? null);
}
