import { eq } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import { undoChange as contract } from '@/lib/contract/audit-log';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Takes back one change. */
export const undoChange = implement(contract, async ({ services }, { params: { seq } }) => {
  const [record] = await services.database.drizzle.select().from(audit).where(eq(audit.seq, seq));
  if (record === undefined) throw new ApiError('not_found', 'There is no such change.');
  throw new ApiError('conflict', 'A change of this kind cannot be taken back.');
});
