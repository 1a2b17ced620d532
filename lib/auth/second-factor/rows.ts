import { eq } from 'drizzle-orm';
import { recoveryCodes, secondFactors } from '@/drizzle/schema';
import { hashRecoveryCode } from '@/lib/auth/second-factor/recovery-codes';
import type { Database, Statement } from '@/lib/db/database';
import type { MemberId } from '@/lib/ids';

/** Removes a member's second factor, as part of a change. */
export function dropSecondFactor({ drizzle }: Database, memberId: MemberId): Statement[] {
  return [
    drizzle.delete(secondFactors).where(eq(secondFactors.memberId, memberId)),
    drizzle.delete(recoveryCodes).where(eq(recoveryCodes.memberId, memberId)),
  ];
}

/** Replaces all earlier recovery codes, as part of a change. */
export function replaceRecoveryCodes({ drizzle }: Database, memberId: MemberId, codes: readonly string[]): Statement[] {
  return [
    drizzle.delete(recoveryCodes).where(eq(recoveryCodes.memberId, memberId)),
    drizzle
      .insert(recoveryCodes)
      .values(codes.map((code) => ({ memberId, codeHash: hashRecoveryCode(memberId, code) }))),
  ];
}
