import { CallError } from '@/components/api/call';
import type { BatchResult } from '@/lib/contract/batch';

/** The error of one item of a batch; null if the item succeeded. */
export function findBatchFault(result: BatchResult | undefined): CallError | null {
  if (result?.error === undefined) return null;
  const { error, error_description: description, details } = result.error;
  return new CallError({ status: result.status, error, description, details });
}
