import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { bootstrap } from '@/lib/admin/members/bootstrap';
import { AUTH_SECRET_FILE, authSecret } from '@/lib/auth/auth-secret';
import { isEmbedded, parseConfig, secretsOf, unknownVariables } from '@/lib/config';
import { filePath, openDatabase } from '@/lib/db/database';
import { migrate, migrationsIn, readMigrations } from '@/lib/db/migrate';
import { reachServer } from '@/lib/db/unusable-database';
import { makeLogger } from '@/lib/logging/logger';
import { redactedText, secretHider } from '@/lib/logging/redacted';
import type { Services } from '@/lib/operation/services';
import { bridge } from '@/lib/process/bridge.mjs';
import { composeServices } from '@/lib/process/compose';

// biome-ignore lint/style/noProcessEnv: read here, once; `server.mjs` has put the `.env` files into it.
const environment = process.env;

/** Takes the secrets of the environment, and whatever looks like one, out of a text for the operator. */
export function withoutSecrets(text: string): string {
  return redactedText(secretHider(secretsOf(environment))(text));
}

/** The services of this process; made at the first call, and again after a call that failed. */
export function runtime(): Promise<Services> {
  if (bridge.services !== undefined) return bridge.services;
  const starting = start();
  bridge.services = starting;
  starting.catch(() => {
    bridge.services = undefined;
  });
  return starting;
}

async function start(): Promise<Services> {
  const config = parseConfig(environment, bridge.peerNonce, bridge.directory);
  const clock = () => Date.now();
  const monotonic = () => performance.now();
  const logger = makeLogger({ level: config.SLUICE_LOG_LEVEL, secrets: secretsOf(config) });
  for (const { name, meant } of unknownVariables(environment))
    logger.warn(`${name} is not a Sluice variable${meant === null ? '' : `; did you mean ${meant}?`}`);
  const path = isEmbedded(config) ? filePath(config.DATABASE_URL) : null;
  const database = openDatabase({
    url: config.DATABASE_URL,
    authToken: config.DATABASE_AUTH_TOKEN,
    monotonic,
    wait: (milliseconds) => wait(milliseconds),
    random: Math.random,
    companion: AUTH_SECRET_FILE,
  });
  if (path === null) await reachServer(database, { url: config.DATABASE_URL, wait });
  const migrations = migrationsIn(config.directory);
  const applied = await migrate(database, migrations, clock());
  const isFirst = applied.length === readMigrations(migrations).length;
  if (isFirst) process.stdout.write(`Created the database ${path ?? 'on the server'}.\n`);
  else if (applied.length > 0) logger.info({ migrations: applied }, 'database migrated');
  const secret = authSecret(config, path === null ? null : dirname(path));
  const services = await composeServices({ config, database, logger, authSecret: secret, clock, monotonic });
  const owner = await bootstrap(services);
  if (owner !== null) process.stdout.write(credentials(owner));
  return services;
}

const credentials = ({ email, password }: { email: string; password: string | null }) => `
First owner:
  e-mail    ${email}
  password  ${password ?? 'as set in SLUICE_ADMIN_PASSWORD'}
Shown only once. Sign in at /sign-in and change it there.

`;
