import { and, eq, isNull } from 'drizzle-orm';
import type { Logger } from 'pino';
import { webhooks } from '@/drizzle/alerts-schema';
import { secondFactors, settings } from '@/drizzle/schema';
import { resealSecret } from '@/lib/auth/second-factor/ask-second-factor';
import {
  canReplaceSecret,
  computeFingerprint,
  FINGERPRINT_SETTING,
  readFingerprint,
} from '@/lib/auth/secret-fingerprint';
import { listUnreadableParts, resealWebhooks } from '@/lib/auth/webhook-secrets';
import { type Config, ConfigError } from '@/lib/config/config';
import type { Database } from '@/lib/db/database';
import { convertDatabaseError } from '@/lib/db/errors';
import type { Millis } from '@/lib/units';

interface Agreement {
  database: Database;
  config: Pick<Config, 'AUTH_SECRET' | 'AUTH_SECRET_PREVIOUS'>;
  /** The secret of this process. */
  secret: string;
  now: Millis;
  randomBytes: (size: number) => Uint8Array;
  logger: Pick<Logger, 'warn'>;
  /** Fingerprint in the database, null if there is none. Read if it is missing here. */
  stored?: string | null;
}

/**
 * Logs at every start which parts of webhooks cannot be decrypted and must be set again.
 * @param found the webhooks, if they were read already
 * @throws DatabaseUnavailable
 */
export async function reportUnreadableWebhooks(
  { database: { drizzle }, secret, logger }: Pick<Agreement, 'database' | 'secret' | 'logger'>,
  found?: readonly (typeof webhooks.$inferSelect)[],
): Promise<void> {
  const read = () => drizzle.select().from(webhooks).where(isNull(webhooks.removedAt)).orderBy(webhooks.name);
  const rows = found ?? (await read());
  const names = rows.filter((row) => listUnreadableParts(row, secret).length > 0).map(({ name }) => name);
  if (names.length > 0)
    logger.warn(
      { webhooks: names },
      'webhooks were set up under another AUTH_SECRET and send nothing: set the URL of each again, and rotate its secret',
    );
}

/**
 * Makes all processes that share a database use one secret. The first process stores its fingerprint. A process with
 * another secret does not start.
 *
 * `AUTH_SECRET_PREVIOUS` replaces the secret. A process that names the current secret there seals the second factors
 * and the webhooks again, in one transaction with the new fingerprint.
 * @returns whether it replaced the secret
 * @throws ConfigError with a sentence for the operator
 * @throws DatabaseUnavailable
 */
export async function agreeOnAuthSecret(agreement: Agreement): Promise<boolean> {
  const { database, config, secret, now, logger } = agreement;
  const own = computeFingerprint(secret);
  const used = agreement.stored ?? (await findOrStoreFingerprint(own, database, now));
  const { AUTH_SECRET_PREVIOUS: previous } = config;
  if (used === own) return false;
  if (previous === undefined) throw new ConfigError(config.AUTH_SECRET === undefined ? OTHER_FILE : OTHER_SECRET);
  if (!canReplaceSecret(used, config)) {
    throw new ConfigError('AUTH_SECRET_PREVIOUS is not the secret that this database is used with either.');
  }
  const factors = await replace(agreement, { previous, used, own });
  // Another process may have been first, with a third secret.
  if ((await findOrStoreFingerprint(own, database, now)) !== own) throw new ConfigError(OTHER_SECRET);
  logger.warn({ secondFactors: factors }, 'AUTH_SECRET was replaced: everybody has to sign in again');
  return true;
}

const HOW = 'To replace it, name the old one in AUTH_SECRET_PREVIOUS ("lost" if it is lost).';
const OTHER_SECRET = `AUTH_SECRET is not the secret that this database is used with: all instances need the same one. ${HOW}`;
const OTHER_FILE = `AUTH_SECRET is not set, and the file auth-secret beside the database is not the one that it is used with: put back the one that was kept. ${HOW}`;

/** Reads the fingerprint in the database. Stores `own` if there is none. */
async function findOrStoreFingerprint(own: string, database: Database, now: Millis): Promise<string> {
  try {
    const row = { name: FINGERPRINT_SETTING, value: JSON.stringify(own), updatedAt: now, revision: 0 };
    // If several processes start together, only one stores its fingerprint.
    await database.drizzle.insert(settings).values(row).onConflictDoNothing();
    return (await readFingerprint(database)) ?? own;
  } catch (error) {
    throw convertDatabaseError(error);
  }
}

const replaceFingerprint = ({ drizzle }: Database, { used, own, now }: { used: string; own: string; now: Millis }) =>
  drizzle
    .update(settings)
    .set({ value: JSON.stringify(own), updatedAt: now })
    .where(and(eq(settings.name, FINGERPRINT_SETTING), eq(settings.value, JSON.stringify(used))));

/**
 * Returns how many second factors were sealed again. Those that the previous secret does not open stay unchanged; if
 * that secret is lost, all of them do.
 */
async function replace(
  { database, secret, now, randomBytes }: Agreement,
  { previous, used, own }: { previous: string; used: string; own: string },
): Promise<number> {
  const { drizzle } = database;
  const factors = await drizzle.select().from(secondFactors);
  const updates = factors.flatMap((factor) => {
    const renewed = resealSecret(factor, { from: previous, to: secret, randomBytes });
    const same = and(eq(secondFactors.memberId, factor.memberId), eq(secondFactors.secret, factor.secret));
    return renewed === null ? [] : [drizzle.update(secondFactors).set({ secret: renewed }).where(same)];
  });
  const sent = await resealWebhooks(database, { from: previous, to: secret, randomBytes });
  await database.batch([...updates, ...sent, replaceFingerprint(database, { used, own, now })]);
  return updates.length;
}
