import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import nextEnv from '@next/env';
import { type Input, readText } from '@/cli/command';
import { createUnreachableFailure, createUsageFailure, EXIT, Failure } from '@/cli/failure';
import { BackupRefused } from '@/lib/admin/backup/backup-refused';
import { CountersElsewhere } from '@/lib/admin/counter-store/claim';
import { MoveRefused } from '@/lib/admin/counter-store/move';
import type { Actor } from '@/lib/auth/actor';
import { AUTH_SECRET_FILE } from '@/lib/auth/auth-secret';
import { type Config, ConfigError, isEmbedded, parseConfig } from '@/lib/config/config';
import { listSecrets } from '@/lib/config/secrets';
import { RedisUnsupported } from '@/lib/counters/redis/faults';
import { StoreUnavailable } from '@/lib/counters/store';
import { type Database, parseFilePath } from '@/lib/db/database';
import { convertDatabaseError, DatabaseUnavailable } from '@/lib/db/errors';
import { countMigrations, locateMigrations } from '@/lib/db/migrate';
import { openDatabase } from '@/lib/db/open-database';
import { reachServer, UnusableDatabase } from '@/lib/db/unusable-database';
import { createSecretHider, redactCredentials } from '@/lib/logging/redact';

/** The package folder contains `dist`; in an installed package, the product is a folder inside it. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
export const MIGRATIONS =
  [PACKAGE, join(PACKAGE, '.next', 'standalone')].map(locateMigrations).find(existsSync) ?? locateMigrations(PACKAGE);

/** Reads the server's settings as the server does, from the working directory. */
export function readServerSettings(input: Input): { config: Config; fromRedisUrl: string | undefined } {
  const file = readText(input, 'env-file');
  if (file !== undefined) {
    if (!existsSync(file)) throw createUsageFailure(`${file} does not exist.`);
    process.loadEnvFile(file);
  }
  nextEnv.loadEnvConfig(process.cwd(), false, { info: () => undefined, error: () => undefined });
  const { env } = process;
  try {
    const fromRedisUrl = env.SLUICE_FROM_REDIS_URL || undefined;
    // Validates the address as REDIS_URL, so that its error reads the same.
    if (fromRedisUrl !== undefined) parseConfig({ ...env, REDIS_URL: fromRedisUrl });
    return { config: parseConfig(env), fromRedisUrl };
  } catch (error) {
    if (error instanceof ConfigError) throw createUsageFailure(`Invalid configuration. ${error.message}`);
    throw error;
  }
}

/**
 * Opens the server's database, which must exist with the schema of this version.
 * @throws Failure
 */
export async function openServerDatabase(config: Config): Promise<Database> {
  if (isEmbedded(config) && !existsSync(parseFilePath(config.DATABASE_URL)))
    throw new Failure(
      EXIT.refused,
      'not_found',
      `DATABASE_URL names ${parseFilePath(config.DATABASE_URL)}, which does not exist.`,
      {
        hint: 'Run it in the folder in which the server runs, or name its settings with --env-file.',
      },
    );
  const database = openAnyDatabase(config);
  if (!isEmbedded(config))
    await reachServer(() => database.client.execute('select 1'), { url: config.DATABASE_URL, wait });
  const { applied, known } = await countMigrations(database, MIGRATIONS);
  if (applied === known) return database;
  database.close();
  throw new Failure(
    EXIT.refused,
    'conflict',
    `The database has ${applied} migrations, and this version of Sluice ${known}.`,
    { hint: applied < known ? 'Bring it up to date first: npm run migrate.' : 'Use the sluice of the newer version.' },
  );
}

/** Opens the database without checks. A missing file is created. */
export function openAnyDatabase({ DATABASE_URL: url, DATABASE_AUTH_TOKEN: authToken }: DatabaseSettings): Database {
  return openDatabase({
    ...{ url, authToken, companion: AUTH_SECRET_FILE },
    monotonic: () => performance.now(),
    wait: (milliseconds) => wait(milliseconds),
    random: Math.random,
  });
}

type DatabaseSettings = Pick<Config, 'DATABASE_URL' | 'DATABASE_AUTH_TOKEN'>;

/** Returns the audit log's actor for work on the stores: the user of this machine. */
export function buildLocalActor(): Actor {
  const name = (() => {
    try {
      return userInfo().username;
    } catch {
      // A user in a container may have no name.
      return `uid ${process.getuid?.() ?? 'unknown'}`;
    }
  })();
  return { id: 'system', name: `${name}@${hostname()}`, role: 'owner' };
}

/** Runs work on stores and converts its errors to a `Failure` without secrets. */
export async function runOnStores<T>(config: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    const hide = createSecretHider(listSecrets(config));
    const message = redactCredentials(hide(error.message));
    if (error instanceof StoreUnavailable || error instanceof DatabaseUnavailable)
      throw createUnreachableFailure(message);
    if (error instanceof UnusableDatabase || error instanceof RedisUnsupported)
      throw new Failure(EXIT.refused, 'conflict', message);
    // A fault of a draft or a copy, such as a full disk.
    if (convertDatabaseError(error) instanceof DatabaseUnavailable)
      throw new Failure(EXIT.refused, 'conflict', `A database cannot be read or written: ${message}.`);
    if (error instanceof BackupRefused || error instanceof MoveRefused || error instanceof CountersElsewhere)
      throw new Failure(EXIT.refused, 'conflict', message);
    throw error;
  }
}
