import { findPasswordFault, type PasswordUse } from '@/lib/auth/password-strength';
import { LONGEST_PASSWORD } from '@/lib/contract/fields/password';
import { createInvalidField } from '@/lib/http/input';

/** Parameters of Argon2id from OWASP's Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Loads the native library at its first use, because a process that only decides needs none. */
const loadArgon2 = () => import('@node-rs/argon2');

/** Hash that is verified if there is no account, so that both cases take the same time. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$EZFsA0hGgafEgijWBMX8Jg$5y6tXGQrUzZJccJMX05tKfMZr1OcObDJYkTWLXiyQ+4';

/**
 * Normalises a password, so that it does not depend on how a keyboard composes characters (NIST SP 800-63B section
 * 3.1.1.2).
 */
function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/** The hash of an accepted password in PHC form, or what is wrong with the password: "must have ...". */
type HashedPassword = { hash: string } | { fault: string };

/** Hashes a password with Argon2id, however weak it is. Only for the first owner, whose
 * password the operator of the server sets. */
export async function hashUncheckedPassword(password: string): Promise<string> {
  const { hash } = await loadArgon2();
  return hash(normalizePassword(password), PARAMETERS);
}

/** Hashes a new password if it is strong enough. Every place where a member sets a password calls this. */
async function hashPassword(password: string, use: PasswordUse): Promise<HashedPassword> {
  const fault = await findPasswordFault(password, use);
  if (fault !== null) return { fault };
  return { hash: await hashUncheckedPassword(password) };
}

/** Hashes a new password like `hashPassword`. @throws ApiError invalid_request at `field` */
export async function hashNewPassword(field: string, password: string, use: PasswordUse): Promise<string> {
  const hashed = await hashPassword(password, use);
  if ('fault' in hashed) throw createInvalidField(field, hashed.fault);
  return hashed.hash;
}

/**
 * Returns whether the password belongs to the hash. Without a hash (no such account, or one without a password) it
 * returns false after the same work.
 */
export async function verifyPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const tooLong = password.length > LONGEST_PASSWORD;
  const { verify } = await loadArgon2();
  const right = await verify(passwordHash ?? DUMMY_HASH, normalizePassword(tooLong ? '' : password));
  return right && passwordHash !== null && !tooLong;
}
