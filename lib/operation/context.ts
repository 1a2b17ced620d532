import type { Statement } from '@/lib/db/database';

/**
 * Makes a change and the answer that is kept of it one thing (`lib/operation/idempotency.ts`): `lib/admin/change.ts` asks it
 * before each attempt and writes its statements in the transaction of the change.
 */
export interface Once {
  /** Looks whether an equal request was answered meanwhile. Throws what `withIdempotency` turns into that answer. */
  before(): Promise<void>;
  /** What keeps the answer that the result of a change becomes. */
  keep(result: unknown): Promise<Statement[]>;
}
