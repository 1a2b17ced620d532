import type { RoleAccess } from '@/lib/contract/operation';
import type { Context } from '@/lib/operation/context';

/** What a batch is to do one thing on. */
export type BatchItem = Readonly<Record<string, unknown>>;

/** Does one operation on an item. */
export interface ItemRunner {
  access: RoleAccess;
  /** The status of a success. */
  status: number;
  /** @throws ApiError as the single call does */
  runItem(context: Context, item: BatchItem): Promise<unknown>;
}
