import { chmodSync, copyFileSync, existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { eq } from 'drizzle-orm';
import Libsql from 'libsql';
import { audit, settings } from '@/drizzle/schema';
import {
  closeFile,
  formatFileTime,
  NOTE_TABLE,
  openFile,
  requireWholeFile,
  type VerifiedBackup,
  verifyBackup,
} from '@/lib/admin/backup/backup-file';
import { BackupRefused } from '@/lib/admin/backup/backup-refused';
import { requireOwnSchema } from '@/lib/admin/backup/backup-schema';
import { copyTables } from '@/lib/admin/backup/copy-database';
import { ENDS, nameDraft, removeDrafts } from '@/lib/admin/backup/drafts';
import { flushToDisk, makeBackup } from '@/lib/admin/backup/make-backup';
import { explainMissingSecret, isSecretHere, type SecretHere } from '@/lib/admin/backup/secret-here';
import { changeFromOutside } from '@/lib/admin/change';
import { type Moved, type MoveOptions, moveCounters } from '@/lib/admin/counter-store/move';
import { FINGERPRINT_SETTING } from '@/lib/auth/secret-fingerprint';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { makeOwnDirectory, OWNER_ONLY } from '@/lib/db/owner-only';
import { listRunningProcesses } from '@/lib/db/running-processes';
import { hasContent } from '@/lib/db/unusable-database';

export interface RestoreOptions extends Omit<MoveOptions, 'database' | 'fromRedisUrl'> {
  /** Path of the backup. */
  file: string;
  /** Destination: the path of a file, or a server. */
  target: { path: string } | { server: Database };
  /** Opens the restored database. */
  open: () => Database;
  /** True to set aside and replace a database that is not empty. */
  replace: boolean;
  /** Secrets with which the server will start. */
  secret: SecretHere;
  /** True to give up the secret of the backup if it is missing. */
  newSecret: boolean;
  version: string;
  migrationsFolder: string;
}

export interface Restored {
  backup: VerifiedBackup;
  /** New path of the replaced database. Null if there was none. */
  aside: string | null;
  /** The moved counters. Null if they are in the database file. */
  counters: Moved | null;
}

/**
 * Replaces the database with a backup, which is verified and migrated first. Adds an audit record.
 * Sets the present database aside. Refuses a backup whose secret is missing, because no server would start on it,
 * unless `newSecret` gives that secret up.
 * Then moves the counters to the configured store. `sluice counters move` finishes an interrupted move.
 * @throws BackupRefused, MoveRefused, StoreUnavailable, DatabaseUnavailable
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, target, open, migrationsFolder } = options;
  requireWholeFile(file);
  const folder = 'path' in target ? dirname(target.path) : dirname(file);
  makeOwnDirectory(folder);
  const draft = nameDraft(join(folder, basename(file)));
  try {
    copyFileSync(file, draft);
    chmodSync(draft, OWNER_ONLY);
    const backup = await verifyBackup(draft, migrationsFolder);
    if (!options.newSecret && !isSecretHere(backup, options.secret))
      throw new BackupRefused(explainMissingSecret(backup));
    const aside =
      'path' in target
        ? await restoreFile(options, target.path, draft, backup)
        : await restoreServer(options, target.server, draft, backup);
    const database = open();
    try {
      const moved = await moveCounters({ ...options, database, fromRedisUrl: undefined, overwrite: true });
      return { backup, aside, counters: moved.counters === null ? null : moved };
    } finally {
      database.close();
    }
  } finally {
    removeDrafts(draft);
  }
}

/** Migrates the draft to the newest schema, and records the restore in its audit log. */
async function complete(options: RestoreOptions, draft: string, backup: VerifiedBackup): Promise<void> {
  const { file, actor, clock, migrationsFolder } = options;
  const { note, revision } = backup;
  const givesUp = !isSecretHere(backup, options.secret);
  const database = openFile(draft);
  try {
    await database.client.execute(`drop table if exists ${NOTE_TABLE}`);
    await migrate(database, migrationsFolder, clock());
    if (database.handle !== null) requireOwnSchema(database.handle, migrationsFolder);
    // The next start stores the fingerprint of the new secret.
    if (givesUp) await database.drizzle.delete(settings).where(eq(settings.name, FINGERPRINT_SETTING));
    const after = { made_at: note?.made_at ?? null, revision, new_secret: givesUp };
    await changeFromOutside(database, { actor, reason: null, clock }, () => ({
      audit: { action: 'database.restore', target: basename(file), after },
      statements: [],
    }));
  } finally {
    closeFile(database);
  }
}

async function restoreFile(
  options: RestoreOptions,
  path: string,
  draft: string,
  backup: VerifiedBackup,
): Promise<string | null> {
  const isThere = hasContent(path);
  if (isThere && !options.replace)
    throw new BackupRefused(`${path} is there already. With --replace it is set aside, and nothing of it is lost.`);
  const lock = isThere ? lockExclusively(path) : null;
  try {
    await complete(options, draft, backup);
    flushToDisk(draft);
    removeSecondNames(path);
    const aside = findUnusedName(`${path}.before-${formatFileTime(options.clock())}`);
    // The present database briefly has two names, so that a database exists at any time.
    if (isThere) linkSync(path, aside);
    setLogsAside(path, aside);
    renameSync(draft, path);
    flushToDisk(dirname(path));
    return isThere ? aside : null;
  } finally {
    if (lock?.inTransaction) lock.exec('rollback');
    lock?.close();
  }
}

/** Sets aside logs that could not be merged. SQLite would apply them to the restored database. */
function setLogsAside(path: string, aside: string): void {
  for (const end of ['-wal', '-journal']) if (hasContent(path + end)) renameSync(path + end, aside + end);
  for (const end of ENDS.slice(1)) rmSync(path + end, { force: true });
}

/** Appends a number to a name if it is used, as by a restore in the same second that was killed. */
function findUnusedName(name: string, end = ''): string {
  const isUsed = (path: string) => ENDS.some((suffix) => existsSync(path + suffix));
  let path = name + end;
  for (let count = 2; isUsed(path); count += 1) path = `${name}-${count}${end}`;
  return path;
}

/** Removes second names of the present database, left by a restore that was killed. */
function removeSecondNames(path: string): void {
  const { ino, nlink } = statSync(path, { throwIfNoEntry: false }) ?? { ino: 0, nlink: 0 };
  if (nlink < 2) return;
  for (const name of readdirSync(dirname(path))) {
    const other = join(dirname(path), name);
    if (name.startsWith(`${basename(path)}.before-`) && statSync(other).ino === ino) rmSync(other);
  }
}

/**
 * Locks a database against all other processes until it is closed.
 * Leaving WAL mode succeeds only if no other process has the database open.
 * @throws BackupRefused if another process has it open
 */
function lockExclusively(path: string): Libsql.Database | null {
  const handle = new Libsql(path);
  try {
    handle.exec('pragma busy_timeout = 1000');
    const [row] = handle.prepare('pragma journal_mode = delete').raw().all() as [string][];
    if (row?.[0] !== 'delete') throw new Error('database is locked');
    handle.exec('pragma locking_mode = exclusive');
    handle.exec('begin exclusive');
    return handle;
  } catch (error) {
    handle.close();
    // A damaged database is a reason to restore, so it needs no lock.
    if (error instanceof Error && /malformed|not a database/.test(error.message)) return null;
    throw new BackupRefused(`${path} is in use: stop every Sluice process that has it open.`);
  }
}

async function restoreServer(
  options: RestoreOptions,
  server: Database,
  draft: string,
  backup: VerifiedBackup,
): Promise<string | null> {
  const { file, clock, migrationsFolder, redisUrl, version } = options;
  await migrate(server, migrationsFolder, clock());
  const running = await listRunningProcesses(server);
  if (running.length > 0)
    throw new BackupRefused(`Sluice runs on that database, on ${running.join(', ')}: stop every process first.`);
  const isThere = (await server.drizzle.$count(audit)) > 0;
  if (isThere && !options.replace)
    throw new BackupRefused('The database on the server is not empty. With --replace it is first backed up here.');
  const aside = isThere ? findUnusedName(join(dirname(file), `before-${formatFileTime(clock())}`), '.db') : null;
  if (aside !== null)
    await makeBackup({
      ...{ database: server, redisUrl, version, migrationsFolder, clock },
      file: aside,
    });
  await complete(options, draft, backup);
  const source = openFile(draft);
  const transaction = await server.client.transaction('write');
  try {
    await copyTables(source.client, transaction);
    await transaction.commit();
  } finally {
    transaction.close();
    closeFile(source);
  }
  return aside;
}
