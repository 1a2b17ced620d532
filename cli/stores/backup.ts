import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Input, isOn } from '@/cli/command';
import type { CommandContext } from '@/cli/context';
import { createUsageFailure } from '@/cli/failure';
import { describeSum } from '@/cli/stores/counters';
import {
  buildLocalActor,
  MIGRATIONS,
  openAnyDatabase,
  openServerDatabase,
  readServerSettings,
  runOnStores,
} from '@/cli/stores/opened-stores';
import { type VerifiedBackup, verifyCopy } from '@/lib/admin/backup/backup-file';
import { ENDS } from '@/lib/admin/backup/drafts';
import { makeBackup } from '@/lib/admin/backup/make-backup';
import { restoreBackup } from '@/lib/admin/backup/restore-backup';
import { describeSecretLoss, isSecretHere, type SecretHere } from '@/lib/admin/backup/secret-here';
import { readAuthSecret } from '@/lib/auth/auth-secret';
import { type Config, isEmbedded } from '@/lib/config/config';
import { describePlace } from '@/lib/counters/active-store';
import { parseFilePath } from '@/lib/db/database';
import { reachServer } from '@/lib/db/unusable-database';

export async function backUp(context: CommandContext, input: Input): Promise<void> {
  const { output, manifest } = context;
  const file = resolve(input.arguments.file ?? '');
  if (!existsSync(dirname(file))) throw createUsageFailure(`${dirname(file)} does not exist.`);
  const { config } = readServerSettings(input);
  if (existsSync(file)) {
    requireReplaceable(file, config);
    await output.confirm(`Replace ${file}?`, `${file} is there already`);
  }
  await runOnStores(config, async () => {
    const database = await openServerDatabase(config);
    const progress = await output.showProgress('Copying');
    const backup = await makeBackup({
      ...{ database, file, version: manifest.version, migrationsFolder: MIGRATIONS },
      redisUrl: config.REDIS_URL,
      clock: () => context.now(),
    }).finally(() => {
      progress.stop();
      database.close();
    });
    if (output.json) return output.show({ file, ...describeBackup(backup), counters: backup.counters });
    await output.printLine(
      `Wrote and verified ${file}: ${describeVerifiedBackup(backup)}, ${describeSum(backup.counters)}.`,
    );
    const fingerprint = backup.secret === null ? '' : ` (fingerprint ${backup.secret})`;
    output.note(`AUTH_SECRET, or the file auth-secret beside the database, is not in it${fingerprint}:`);
    output.note('keep that too, elsewhere.');
  });
}

/** Refuses to replace a device, a directory, or a file of the database that is backed up. @throws Failure */
function requireReplaceable(file: string, config: Config): void {
  const found = statSync(file);
  if (!found.isFile()) throw createUsageFailure(`${file} is no file.`);
  if (!isEmbedded(config)) return;
  const path = parseFilePath(config.DATABASE_URL);
  for (const end of ENDS) {
    const own = statSync(path + end, { throwIfNoEntry: false });
    if (own?.ino === found.ino && own.dev === found.dev)
      throw createUsageFailure(`${file} belongs to the database itself.`);
  }
}

export async function restore(context: CommandContext, input: Input): Promise<void> {
  const { output, manifest } = context;
  const file = resolve(input.arguments.file ?? '');
  if (!existsSync(file) || !statSync(file).isFile()) throw createUsageFailure(`${file} does not exist.`);
  const { config } = readServerSettings(input);
  const secret = readOwnSecret(config);
  await runOnStores(config, async () => {
    if (isOn(input, 'check')) {
      const verified = await verifyCopy(file, MIGRATIONS);
      const isHere = isSecretHere(verified, secret);
      if (output.json) return output.show({ file, ...describeBackup(verified), secret_is_here: isHere });
      await output.printLine(`${file} is whole: ${describeVerifiedBackup(verified)}.`);
      return output.note(isHere ? 'Its secret is here.' : `Its secret is not here (fingerprint ${verified.secret}).`);
    }
    const embedded = isEmbedded(config);
    const server = embedded ? null : openAnyDatabase(config);
    if (server !== null) await reachServer(() => server.client.execute('select 1'), { url: config.DATABASE_URL, wait });
    const restored = await restoreBackup({
      file,
      target: server === null ? { path: resolve(parseFilePath(config.DATABASE_URL)) } : { server },
      open: () => openAnyDatabase(config),
      replace: isOn(input, 'replace'),
      ...{ secret, newSecret: isOn(input, 'new-secret') },
      redisUrl: config.REDIS_URL,
      overwrite: true,
      ...{ version: manifest.version, migrationsFolder: MIGRATIONS, actor: buildLocalActor() },
      ...{ clock: () => context.now(), newId: () => randomUUID() },
    }).finally(() => server?.close());
    const { backup, aside, counters } = restored;
    const isGivenUp = !isSecretHere(backup, secret);
    if (output.json)
      return output.show({
        ...{ file, ...describeBackup(backup), aside, counters: counters?.counters ?? null },
        new_secret: isGivenUp,
      });
    await output.printLine(`Restored ${file}: ${describeVerifiedBackup(backup)}.`);
    if (counters?.counters)
      await output.printLine(`In ${describePlace(counters.to)}: ${describeSum(counters.counters)}.`);
    if (aside !== null) output.note(`What was there is in ${aside}.`);
    if (isGivenUp) output.note(`Its secret was given up: ${describeSecretLoss(backup)}.`);
  });
}

const describeBackup = ({ note, revision, head, bytes, secret }: VerifiedBackup) => ({
  ...{ made_at: note?.made_at ?? null, version: note?.version ?? null, revision, head, bytes },
  secret_fingerprint: secret,
});

function describeVerifiedBackup({ note, revision, bytes }: VerifiedBackup): string {
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${note === null ? '' : `made at ${note.made_at}, `}${size}, audit log whole up to ${revision}`;
}

function readOwnSecret(config: Config): SecretHere {
  const own = readAuthSecret(config, isEmbedded(config) ? dirname(parseFilePath(config.DATABASE_URL)) : null);
  return { own, previous: config.AUTH_SECRET_PREVIOUS };
}
