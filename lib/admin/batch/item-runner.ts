import type { RoleAccess } from '@/lib/contract/operation';
import type { Context } from '@/lib/operation/context';

/** One item of a batch. */
export type BatchItem = Readonly<Record<string, unknown>>;

/** Runs one operation on an item. */
export interface ItemRunner {
  access: RoleAccess;
  /** HTTP status of a success. */
  status: number;
  /** @throws ApiError as the single call does */
  runItem(context: Context, item: BatchItem): Promise<unknown>;
}
