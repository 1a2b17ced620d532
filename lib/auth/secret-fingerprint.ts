import { eq } from 'drizzle-orm';
import { settings } from '@/drizzle/schema';
import { deriveKey } from '@/lib/auth/sealed';
import type { Config } from '@/lib/config/config';
import type { Database } from '@/lib/db/database';

/** Name in `settings` of the fingerprint of the `AUTH_SECRET` that a database is used with. */
export const FINGERPRINT_SETTING = 'auth_secret_fingerprint';
/** Value of `AUTH_SECRET_PREVIOUS` if the secret is lost. */
const LOST = 'lost';

/** Computes 128 bits as hexadecimal digits. They reveal nothing about the secret. */
export function computeFingerprint(secret: string): string {
  return Buffer.from(deriveKey(secret, 'sluice auth secret fingerprint', 16)).toString('hex');
}

/** Reads the fingerprint in a database. Returns null before the first start. */
export async function readFingerprint({ drizzle }: Pick<Database, 'drizzle'>): Promise<string | null> {
  const [stored] = await drizzle
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.name, FINGERPRINT_SETTING));
  return stored === undefined ? null : String(JSON.parse(stored.value));
}

/** Returns whether `AUTH_SECRET_PREVIOUS` allows a start to replace the secret of a fingerprint. */
export function canReplaceSecret(used: string, { AUTH_SECRET_PREVIOUS: previous }: PreviousSecret): boolean {
  return previous === LOST || (previous !== undefined && computeFingerprint(previous) === used);
}

type PreviousSecret = Pick<Config, 'AUTH_SECRET_PREVIOUS'>;
