import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { BatchItem, ItemRunner } from '@/lib/admin/batch/item-runner';
import { createItemRunners } from '@/lib/admin/batch/item-runners';
import { previewBatch } from '@/lib/admin/batch/preview-batch';
import { isRoleAllowed } from '@/lib/auth/actor';
import { type BatchResult, runBatch as contract } from '@/lib/contract/batch';
import { convertFault, logFailure } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { type Context, Previewed } from '@/lib/operation/context';
import { runIdempotently } from '@/lib/operation/idempotency';
import { implement, type Operation, Reply } from '@/lib/operation/operation';

/**
 * Creates a batch operation: runs an operation on many items, each as a single call. With an `Idempotency-Key`, the
 * result of each item is stored under a separate key, together with its change. A repeated request therefore continues
 * an interrupted batch.
 * @param operations every operation that a batch may name
 * @throws ApiError forbidden before the first item if the role does not allow the operation
 */
export function createRunBatch(operations: readonly Operation[]) {
  const runners = createItemRunners(operations);
  return implement(contract, async (context, { body: { operation, items } }) => {
    const runner = runners[operation];
    if (!isRoleAllowed(context.actor.role, runner.access))
      throw new ApiError('forbidden', `This operation needs the role ${runner.access}.`);
    if (context.preview !== undefined) {
      const previewItem = (within: Context, item: BatchItem) =>
        runItem(createItemContext(within), runner, { operation, item, key: null });
      return { results: await previewBatch(context, context.preview, { operation, items, run: previewItem }) };
    }
    const idempotencyKey = context.facts.headers.get('idempotency-key');
    const results: BatchResult[] = [];
    for (const [index, item] of items.entries()) {
      const within = createItemContext(context);
      const key = idempotencyKey === null ? null : deriveItemKey(idempotencyKey, index);
      results.push(await runItem(within, runner, { operation, item, key }));
      context.changed.seq = within.changed.seq ?? context.changed.seq;
    }
    // An answer with server errors is not kept, so a repeated batch retries them; finished items return the stored
    // result.
    return new Reply({ results }, { keep: results.every(({ status }) => status < 500) });
  });
}

/** Creates the context of one item. The idempotency key and `If-Match` of the request apply to the batch only. */
function createItemContext({ once: _, ...context }: Context): Context {
  return { ...context, facts: { ...context.facts, ifMatch: null }, changed: { seq: null } };
}

/** Derives the idempotency key of one item. */
function deriveItemKey(key: string, index: number): string {
  return createHash('sha256')
    .update(JSON.stringify(['item', key, index]))
    .digest('base64url');
}

const Kept = z.custom<BatchResult>();

async function runItem(
  context: Context,
  runner: ItemRunner,
  { operation, item, key }: { operation: string; item: BatchItem; key: string | null },
): Promise<BatchResult> {
  try {
    const response = await runIdempotently(
      context,
      { key, method: 'POST', body: [operation, item] },
      (within) => runner.runItem(within, item),
      (result) => Response.json(buildSuccess(runner.status, result, context.changed.seq)),
    );
    return Kept.parse(await response.json());
  } catch (fault) {
    if (fault instanceof Previewed) return buildSuccess(runner.status, fault.result, null);
    const answer = convertFault(fault);
    const { status, code, description, details } = answer;
    logFailure(context.services.logger, answer, { requestId: context.requestId }, 'item failed');
    const error = { error: code, error_description: description };
    return { status, error: details === undefined ? error : { ...error, details: [...details] }, value: undefined };
  }
}

function buildSuccess(usual: number, result: unknown, seq: number | null): BatchResult {
  const { value, options } = result instanceof Reply ? result : new Reply(result);
  return { status: options.status ?? usual, ...(seq === null ? {} : { audit_seq: seq }), value };
}
