import { eq } from 'drizzle-orm';
import { settings } from '@/drizzle/schema';
import { derivedKey } from '@/lib/auth/sealed';
import type { Config } from '@/lib/config/config';
import type { Database } from '@/lib/db/database';

/** In `settings`: the fingerprint of the `AUTH_SECRET` that a database is used with. */
export const FINGERPRINT_SETTING = 'auth_secret_fingerprint';
/** `AUTH_SECRET_PREVIOUS` when nobody has it any more. */
const LOST = 'lost';

/** 128 bits, from which nothing of the secret can be computed, as hexadecimal digits. */
export function fingerprintOf(secret: string): string {
  return Buffer.from(derivedKey(secret, 'sluice auth secret fingerprint', 16)).toString('hex');
}

/** The fingerprint that a database holds; null before the first start. */
export async function storedFingerprint({ drizzle }: Pick<Database, 'drizzle'>): Promise<string | null> {
  const [stored] = await drizzle
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.name, FINGERPRINT_SETTING));
  return stored === undefined ? null : String(JSON.parse(stored.value));
}

/** Whether `AUTH_SECRET_PREVIOUS` allows a start to replace the secret of a fingerprint. */
export function mayReplace(used: string, { AUTH_SECRET_PREVIOUS: previous }: PreviousSecret): boolean {
  return previous === LOST || (previous !== undefined && fingerprintOf(previous) === used);
}

type PreviousSecret = Pick<Config, 'AUTH_SECRET_PREVIOUS'>;
