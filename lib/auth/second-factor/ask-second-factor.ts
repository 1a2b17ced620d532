import { and, eq, lt } from 'drizzle-orm';
import type { Logger } from 'pino';
import { recoveryCodes, secondFactors } from '@/drizzle/schema';
import { deriveKey, seal, unseal } from '@/lib/auth/sealed';
import { hashRecoveryCode } from '@/lib/auth/second-factor/recovery-codes';
import { findCodeStep } from '@/lib/auth/second-factor/totp';
import { beginCode, clearCodes, type ThrottleServices } from '@/lib/auth/sign-in-throttle';
import type { AuthServices } from '@/lib/auth/state';
import type { Database } from '@/lib/db/database';
import { convertDatabaseError } from '@/lib/db/errors';
import type { MemberId } from '@/lib/ids';
import type { Seconds } from '@/lib/units';

export type SecondFactorRow = typeof secondFactors.$inferSelect;

type FactorServices = Pick<AuthServices, 'database' | 'authSecret' | 'clock'> & {
  readonly logger: Pick<Logger, 'warn'>;
};

/** Finds the second factor of a member, confirmed or not. @throws DatabaseUnavailable */
export async function findSecondFactor({ drizzle }: Database, memberId: MemberId): Promise<SecondFactorRow | null> {
  const own = eq(secondFactors.memberId, memberId);
  try {
    return (await drizzle.select().from(secondFactors).where(own)).at(0) ?? null;
  } catch (error) {
    throw convertDatabaseError(error);
  }
}

const buildSealing = (authSecret: string, memberId: MemberId) => ({
  key: deriveKey(authSecret, 'sluice second factor'),
  place: memberId,
});

/** Seals a shared secret for storage. */
export function sealSecret(
  secret: string,
  memberId: MemberId,
  { authSecret, randomBytes }: Pick<AuthServices, 'authSecret' | 'randomBytes'>,
): string {
  return seal(secret, buildSealing(authSecret, memberId), randomBytes);
}

/** Seals a stored secret under another `AUTH_SECRET`. Returns null if `from` does not open it. */
export function resealSecret(
  { memberId, secret }: Pick<SecondFactorRow, 'memberId' | 'secret'>,
  { from, to, randomBytes }: { from: string; to: string; randomBytes: (size: number) => Uint8Array },
): string | null {
  try {
    return sealSecret(unseal(secret, buildSealing(from, memberId)), memberId, { authSecret: to, randomBytes });
  } catch {
    return null;
  }
}

/**
 * Returns the time step of a code that the app shows now. Returns null for any other code, or if `AUTH_SECRET` has
 * changed.
 */
export function findUnusedStep({ authSecret, clock, logger }: FactorServices, factor: SecondFactorRow, code: string) {
  const { memberId, secret } = factor;
  try {
    const step = findCodeStep(unseal(secret, buildSealing(authSecret, memberId)), code, clock());
    return step !== null && step > factor.lastStep ? step : null;
  } catch {
    logger.warn(
      { member: memberId },
      'a second factor cannot be decrypted: AUTH_SECRET was changed since it was set up',
    );
    return null;
  }
}

/** Result of a check. `locked`: too many codes were tried; `seconds` is the time to wait. */
type FactorOutcome =
  | { kind: 'passed' }
  | { kind: 'code'; code: 'missing' | 'wrong' }
  | { kind: 'locked'; seconds: Seconds };

/**
 * Checks a member's second factor, if there is one: a code of the authenticator app or a recovery code. The right code
 * is used up, also for other processes.
 * @throws DatabaseUnavailable, StoreUnavailable
 */
export async function askSecondFactor(
  services: FactorServices & ThrottleServices,
  memberId: MemberId,
  typed: string | undefined,
): Promise<FactorOutcome> {
  const factor = await findSecondFactor(services.database, memberId);
  if (factor === null || factor.confirmedAt === null) return { kind: 'passed' };
  const code = (typed ?? '').replaceAll(/\s/g, '');
  if (code === '') return { kind: 'code', code: 'missing' };
  return tryCode(services, memberId, () => useCode(services, factor, code));
}

/**
 * Checks a code of any kind, unless too many were tried on the account. Every try counts before its check, so that
 * concurrent tries count too. Only a right code clears the count.
 * @throws StoreUnavailable, and the errors of `check`
 */
export async function tryCode(
  services: ThrottleServices,
  memberId: MemberId,
  check: () => Promise<boolean>,
): Promise<FactorOutcome> {
  const seconds = await beginCode(services, memberId);
  if (seconds !== null) return { kind: 'locked', seconds };
  if (!(await check())) return { kind: 'code', code: 'wrong' };
  await clearCodes(services, memberId);
  return { kind: 'passed' };
}

/** Uses up a code. Returns false if it is wrong or was used before. @throws DatabaseUnavailable */
async function useCode(services: FactorServices, factor: SecondFactorRow, code: string): Promise<boolean> {
  const { memberId } = factor;
  const { drizzle } = services.database;
  try {
    if (/^\d{6}$/.test(code)) {
      const step = findUnusedStep(services, factor, code);
      if (step === null) return false;
      const newer = and(eq(secondFactors.memberId, memberId), lt(secondFactors.lastStep, step));
      const used = await drizzle
        .update(secondFactors)
        .set({ lastStep: step })
        .where(newer)
        .returning({ step: secondFactors.lastStep });
      return used.length === 1;
    }
    const same = and(
      eq(recoveryCodes.memberId, memberId),
      eq(recoveryCodes.codeHash, hashRecoveryCode(memberId, code)),
    );
    const used = await drizzle.delete(recoveryCodes).where(same).returning({ hash: recoveryCodes.codeHash });
    return used.length === 1;
  } catch (error) {
    throw convertDatabaseError(error);
  }
}
