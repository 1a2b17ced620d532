import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { z } from 'zod';
import { createAuditReader, verifyAudit } from '@/lib/admin/audit-log/verify';
import { BackupRefused } from '@/lib/admin/backup/backup-refused';
import { requireOwnSchema } from '@/lib/admin/backup/backup-schema';
import { readFingerprint } from '@/lib/auth/secret-fingerprint';
import type { Database } from '@/lib/db/database';
import { countMigrations } from '@/lib/db/migrate';
import { openDatabase } from '@/lib/db/open-database';
import { OWNER_ONLY } from '@/lib/db/owner-only';
import { findUnreadableText } from '@/lib/db/unreadable-text';
import type { Millis } from '@/lib/units';

/** Table that exists only in backups, never in a database in use. */
export const NOTE_TABLE = 'sluice_backup';

const Note = z.object({
  format: z.literal(1),
  made_at: z.string(),
  version: z.string(),
  /** Number and hash of the newest audit record. */
  revision: z.number(),
  head: z.string(),
  /** Description of the store that held the counters. */
  counters_from: z.string(),
  rows: z.record(z.string(), z.number()),
});

/** Metadata that a backup holds about itself. */
export type BackupNote = z.output<typeof Note>;

/** Contents of a verified backup. */
export interface VerifiedBackup {
  /** Null if the file is a plain copy of a database, not made by `sluice backup`. */
  note: BackupNote | null;
  revision: number;
  head: string;
  bytes: number;
  /** Fingerprint of the `AUTH_SECRET` in use. Null if no server has run on the database. */
  secret: string | null;
  /** Number of members with an authenticator app, which needs that secret. */
  secondFactors: number;
  /** Number of webhooks whose URL and secret are encrypted with that secret. */
  webhooks: number;
}

/** Opens a database file that nothing else uses. */
export function openFile(path: string): Database {
  const monotonic = () => performance.now();
  return openDatabase({ url: `file:${encodeURI(path)}`, monotonic, wait: async () => undefined, random: () => 0 });
}

/** Closes a database and merges its log, so that the file is complete without it. */
export function closeFile(database: Database): void {
  database.handle?.prepare('pragma journal_mode = delete').all();
  database.close();
}

/** Counts the rows of each table. */
export function countRowsByTable(handle: Libsql.Database): Record<string, number> {
  const names = `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'libsql_%'
    and name <> '${NOTE_TABLE}' order by name`;
  const tables = handle.prepare(names).raw().all() as [string][];
  return Object.fromEntries(
    tables.map(([name]) => [
      name,
      Number((handle.prepare(`select count(*) from "${name}"`).raw().get() as [number])[0]),
    ]),
  );
}

export function writeNote(handle: Libsql.Database, note: BackupNote): void {
  handle.exec(`create table if not exists ${NOTE_TABLE} (note text not null)`);
  handle.exec(`delete from ${NOTE_TABLE}`);
  handle.prepare(`insert into ${NOTE_TABLE} (note) values (?)`).run(JSON.stringify(note));
}

/**
 * Verifies a backup before anything uses it. Checks the schema first, before any of its SQL runs.
 * Then checks pages, indexes, references, migrations, the audit chain, and the row counts in its metadata.
 * @param path of a copy that nothing else uses
 * @throws BackupRefused
 */
export async function verifyBackup(path: string, migrationsFolder: string): Promise<VerifiedBackup> {
  const bytes = statSync(path).size;
  let handle: Libsql.Database | undefined;
  try {
    leaveWalMode(path);
    handle = new Libsql(path, { readonly: true });
    requireOwnSchema(handle, migrationsFolder, [`CREATE TABLE ${NOTE_TABLE} (note text not null)`]);
    const [damage] = handle.prepare('pragma integrity_check(1)').raw().all() as [string][];
    if (damage?.[0] !== 'ok') throw new BackupRefused(`It is damaged: ${String(damage?.[0]).replaceAll(/\s+/g, ' ')}.`);
    const text = findUnreadableText(handle);
    if (text !== null) {
      const { table, column, row } = text;
      throw new BackupRefused(
        `It is damaged: the column ${column} of the table ${table} holds a text that is not UTF-8, in the row ${row}.`,
      );
    }
    if (handle.prepare('pragma foreign_key_check').raw().all().length > 0)
      throw new BackupRefused('Some of its rows refer to missing rows.');
    const note = readBackupNote(handle);
    const rows = countRowsByTable(handle);
    for (const [table, count] of Object.entries(note?.rows ?? {})) {
      if (rows[table] !== count)
        throw new BackupRefused(`Its table ${table} has ${rows[table] ?? 0} rows, and ${count} when it was made.`);
    }
    const present = 'select count(*) from webhooks where removed_at is null';
    const [webhooks] = rows.webhooks === undefined ? [0] : (handle.prepare(present).raw().get() as [number]);
    handle.close();
    handle = undefined;
    const { revision, head, secret } = await verifyContents(path, migrationsFolder);
    if (note !== null && (note.revision !== revision || note.head !== head))
      throw new BackupRefused('Its audit log does not end as it did when it was made.');
    return { note, revision, head, bytes, secret, secondFactors: rows.second_factors ?? 0, webhooks: Number(webhooks) };
  } catch (error) {
    if (error instanceof BackupRefused) throw error;
    throw new BackupRefused(`It cannot be read (${error instanceof Error ? error.message : String(error)}).`);
  } finally {
    handle?.close();
  }
}

/**
 * Takes a copied database of Sluice out of WAL mode, as backups are. A restore needs the only connection to a file in WAL
 * mode, but the driver keeps a closed connection open until its statements are collected.
 */
function leaveWalMode(path: string): void {
  const handle = new Libsql(path);
  try {
    handle.exec('pragma journal_mode = delete');
  } finally {
    handle.close();
  }
}

function readBackupNote(handle: Libsql.Database): BackupNote | null {
  const hasNote = `select 1 from sqlite_master where name = '${NOTE_TABLE}'`;
  if (handle.prepare(hasNote).get() === undefined) return null;
  const [text] = (handle.prepare(`select note from ${NOTE_TABLE}`).raw().get() ?? []) as [string?];
  const note = Note.safeParse(JSON.parse(text ?? 'null'));
  if (note.success) return note.data;
  throw new BackupRefused('Its description cannot be read: it was made by another version, or was changed.');
}

async function verifyContents(
  path: string,
  migrationsFolder: string,
): Promise<Pick<VerifiedBackup, 'revision' | 'head' | 'secret'>> {
  const database = openFile(path);
  try {
    const { applied, known } = await countMigrations(database, migrationsFolder);
    if (applied > known)
      throw new BackupRefused(
        `A newer version of Sluice made it: it has ${applied} migrations, this version ${known}.`,
      );
    const { valid, head, first_invalid: first } = await verifyAudit(createAuditReader(database));
    if (!valid) throw new BackupRefused(`Its audit log is not whole: record ${first?.seq} is ${first?.problem}.`);
    return { revision: head.seq, head: head.hash, secret: await readFingerprint(database) };
  } finally {
    closeFile(database);
  }
}

/** Formats a time for file names: `20261122T214300Z`. */
export function formatFileTime(now: Millis): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** Refuses a file beside which SQLite keeps changes: a copy of it would lack them. @throws BackupRefused */
export function requireWholeFile(file: string): void {
  if (existsSync(`${file}-wal`))
    throw new BackupRefused(`${file}-wal exists: it is a database in use, or a copy of one. Restore a backup.`);
}

/** Runs `verifyBackup` on a temporary copy, so that the file stays untouched. */
export async function verifyCopy(file: string, migrationsFolder: string): Promise<VerifiedBackup> {
  requireWholeFile(file);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-backup-'));
  try {
    const copy = join(folder, 'copy.db');
    copyFileSync(file, copy);
    chmodSync(copy, OWNER_ONLY);
    return await verifyBackup(copy, migrationsFolder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
