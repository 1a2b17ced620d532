import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { bootstrap } from '@/lib/admin/members/bootstrap';
import { agreeOnAuthSecret, reportUnreadableWebhooks } from '@/lib/auth/agree-on-auth-secret';
import { AUTH_SECRET_FILE, loadAuthSecret } from '@/lib/auth/auth-secret';
import { type Config, ConfigError, chooseTracingProtocol, isEmbedded, parseConfig } from '@/lib/config/config';
import { listSecrets } from '@/lib/config/secrets';
import { listUnknownVariables } from '@/lib/config/unknown-variables';
import { contactRedis, type RedisContact } from '@/lib/counters/redis/contact';
import type { CheckpointOptions } from '@/lib/db/checkpoint-thread';
import { type Database, openRemoteDatabase, parseFilePath } from '@/lib/db/database';
import { countMigrations, locateMigrations, migrate, readMigrations } from '@/lib/db/migrate';
import { detectNetworkDisk } from '@/lib/db/network-disk';
import { hasContent, reachServer, UnusableDatabase } from '@/lib/db/unusable-database';
import { boundAgent } from '@/lib/http/bound-agent';
import { listWideProxies } from '@/lib/http/wide-proxies';
import { LineGate } from '@/lib/logging/line-gate';
import { makeLogger } from '@/lib/logging/logger';
import { OutageLog, TRACES_OUTAGE } from '@/lib/logging/outage-log';
import { createSecretHider, redactCredentials } from '@/lib/logging/redact';
import type { Services } from '@/lib/operation/services';
import { bridge } from '@/lib/process/bridge';
import { composeServices } from '@/lib/process/compose';
import { findStartState, readStartState } from '@/lib/process/read-start-state';
import type { Tracing } from '@/lib/tracing/tracing';
import packageJson from '@/package.json';

// biome-ignore lint/style/noProcessEnv: read only here; `server.mjs` has loaded the `.env` files into it.
const environment = process.env;

/** Removes the secrets of the environment, and similar texts, from a text for the operator. */
export function redactSecrets(text: string): string {
  return redactCredentials(createSecretHider(listSecrets(environment))(text));
}

const clock = () => Date.now();
const monotonic = () => performance.now();

const NO_DISK = 'DATABASE_URL must name a database server on Vercel: a function has no disk that lasts.';
const WIDELY_TRUSTED =
  'SLUICE_TRUSTED_PROXIES trusts a part of the internet: callers from there choose the address that counts. Name the addresses of your proxies only.';
const ON_NETWORK_DISK =
  'DATABASE_URL is a file on a disk of another machine. Instances on more than one machine would damage it; those need a database server.';

/**
 * Creates the services of a process: opens the stores, migrates the database and creates the first owner.
 * @throws ConfigError, UnusableDatabase and the errors of `composeServices`
 */
export async function startServices(): Promise<Services> {
  const config = parseConfig(environment, bridge.peerNonce, bridge.directory);
  const lines = new LineGate();
  const logger = makeLogger({ level: config.SLUICE_LOG_LEVEL, secrets: listSecrets(config), lines });
  for (const { name, meant } of listUnknownVariables(environment))
    logger.warn(`${name} is not a Sluice variable${meant === null ? '' : `; did you mean ${meant}?`}`);
  const trusted = config.VERCEL ? [] : listWideProxies(config.SLUICE_TRUSTED_PROXIES);
  if (trusted.length > 0) logger.warn({ ranges: trusted }, WIDELY_TRUSTED);
  if (isEmbedded(config) && config.VERCEL) throw new ConfigError(NO_DISK);
  // The database of a server is read after Redis is reached, so that both can be compared without another read.
  const contact = isEmbedded(config) ? undefined : await contactStore(config, logger);
  try {
    return await startWith(config, { logger, lines, contact });
  } catch (error) {
    contact?.link.close();
    throw error;
  }
}

/** Starts the connection to Redis, if there is one. */
async function contactStore(config: Config, logger: Logger): Promise<RedisContact | undefined> {
  const { REDIS_URL: url } = config;
  return url === undefined ? undefined : contactRedis({ url, logger, canFreeze: config.VERCEL });
}

type Early = { logger: Logger; lines: LineGate; contact: RedisContact | undefined };

async function startWith(config: Config, { logger, lines, contact }: Early): Promise<Services> {
  const isCompared = contact !== undefined;
  const { database, path, found } = await open(config, isCompared, {
    failed: (error) => logger.warn({ err: error }, 'checkpoints are back on the event loop: their thread has ended'),
  });
  const disk = path === null ? null : detectNetworkDisk(dirname(path));
  if (disk !== null) logger.warn({ disk }, ON_NETWORK_DISK);
  const migrations = locateMigrations(config.directory);
  const applied = await migrate(database, migrations, clock(), found?.migrations);
  const isFirst = applied.length > 0 && applied.length === readMigrations(migrations).length;
  if (isFirst) process.stdout.write(`Created the database ${path ?? 'on the server'}.\n`);
  else if (applied.length > 0) logger.info({ migrations: applied }, 'database migrated');
  const secret = loadAuthSecret(config, path === null ? null : dirname(path));
  // What was read before a migration may lack what the migration adds.
  const state = found !== null && applied.length === 0 ? found : await readStartState(database, isCompared);
  const { fingerprint: stored, webhooks } = state;
  const isReplaced = await agreeOnAuthSecret({ database, config, secret, now: clock(), randomBytes, logger, stored });
  await reportUnreadableWebhooks({ database, secret, logger }, isReplaced ? undefined : webhooks);
  const tracing = await openTracing(config, logger);
  const services = await composeServices({
    ...{ config, database, logger, lines, tracing, authSecret: secret, state, contact },
    ...{ clock, monotonic },
  });
  const owner = state.hasMembers ? null : await bootstrap(services);
  if (owner !== null) process.stdout.write(formatCredentials(owner));
  return services;
}

/**
 * Opens the database. `path` is that of the embedded file, or null. `found` is what the first query of a server
 * returned, or null if there is no schema of this version.
 * @param isPrimary whether a server answers from its primary if it can, because the rules are compared with Redis
 * @throws UnusableDatabase
 */
async function open(config: Config, isPrimary: boolean, checkpoints?: CheckpointOptions) {
  const path = isEmbedded(config) ? parseFilePath(config.DATABASE_URL) : null;
  const options = {
    ...{ url: config.DATABASE_URL, authToken: config.DATABASE_AUTH_TOKEN, monotonic, random: Math.random },
    ...{ wait: (milliseconds: number) => wait(milliseconds), canFreeze: config.VERCEL },
  };
  if (path !== null) {
    // The driver of embedded files is native, and functions do not use it.
    const { openDatabase } = await import('@/lib/db/open-database');
    const own = { companion: AUTH_SECRET_FILE, ...(checkpoints === undefined ? {} : { checkpoints }) };
    return { database: openDatabase({ ...options, ...own }), path, found: null };
  }
  const database = openRemoteDatabase(options);
  const found = await reachServer(() => findStartState(database, isPrimary), { url: config.DATABASE_URL, wait });
  return { database, path, found };
}

/**
 * Opens the database for a command while a server may run. It creates and migrates nothing, and does not connect to
 * Redis.
 * @throws ConfigError, UnusableDatabase
 */
export async function openWithoutMigrating(): Promise<{ config: Config; database: Database }> {
  const config = parseConfig(environment, bridge.peerNonce, bridge.directory);
  if (isEmbedded(config)) requireOwnDatabase(parseFilePath(config.DATABASE_URL));
  const { database } = await open(config, false);
  const { applied, known } = await countMigrations(database, locateMigrations(config.directory));
  if (applied !== known) {
    throw new UnusableDatabase(
      `DATABASE_URL names a database with ${applied} migrations, and this version of Sluice has ${known}: use the version that serves it.`,
    );
  }
  return { config, database };
}

/**
 * Requires that the database file belongs to this user. Another user's log file next to it would lock the server out.
 */
function requireOwnDatabase(path: string): void {
  if (!hasContent(path)) {
    throw new UnusableDatabase(
      `DATABASE_URL names ${path}, where there is no database: run this where Sluice runs, with its environment.`,
    );
  }
  const { uid } = statSync(path);
  if (uid === process.getuid?.()) return;
  throw new UnusableDatabase(`${path} belongs to the user with the id ${uid}: run this as that user.`);
}

/** Loads OpenTelemetry only if tracing is on, because loading it slows every start. */
async function openTracing(config: Config, logger: Logger): Promise<Tracing | undefined> {
  const protocol = chooseTracingProtocol(config);
  if (protocol === null) return undefined;
  const { startTracing } = await import('@/lib/tracing/start-tracing');
  return startTracing({
    protocol,
    version: packageJson.version,
    hide: createSecretHider(listSecrets(config)),
    boundAgent: (agent, time) => boundAgent(agent, { peer: 'collector', time }),
    outage: new OutageLog({ logger, monotonic, lines: TRACES_OUTAGE }),
    warn: (reason) => logger.warn({ reason }, 'OpenTelemetry warns'),
  });
}

const formatCredentials = ({ email, password }: { email: string; password: string | null }) => `
First owner:
  e-mail    ${email}
  password  ${password ?? 'as set in SLUICE_ADMIN_PASSWORD'}
Shown only once. Sign in at /sign-in and change it there.

`;
