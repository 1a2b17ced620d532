import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Database } from '@/lib/db/database';
import { ConstraintViolation, convertDatabaseError } from '@/lib/db/errors';
import { UnusableDatabase } from '@/lib/db/unusable-database';

/** Returns the directory of the generated migrations. @param directory directory of the product */
export const locateMigrations = (directory: string): string => join(directory, 'drizzle');

const Journal = z.object({ entries: z.array(z.object({ tag: z.string() })) });

/** Creates the table of the migrations that were applied to a database. */
export const MIGRATIONS_TABLE = `create table if not exists sluice_migrations (
  position integer primary key, tag text not null, hash text not null, applied_at integer not null)`;

/** Query for the applied migrations, in order. */
export const APPLIED_MIGRATIONS = 'select tag, hash from sluice_migrations order by position';

export interface AppliedMigration {
  tag: string;
  hash: string;
}

/** Reads the migrations that drizzle-kit generated into `folder`, in order. */
export function readMigrations(folder: string) {
  const journal = Journal.parse(JSON.parse(readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')));
  return journal.entries.map(({ tag }) => {
    const text = readFileSync(join(folder, `${tag}.sql`), 'utf8');
    return {
      tag,
      hash: createHash('sha256').update(text).digest('hex'),
      statements: text.split('--> statement-breakpoint').filter((statement) => statement.trim() !== ''),
    };
  });
}

/** Counts the applied and the available migrations. */
export async function countMigrations(database: Database, folder: string): Promise<{ applied: number; known: number }> {
  const known = readMigrations(folder).length;
  const { rows } = await database.client.execute(
    "select count(*) as present from sqlite_master where name = 'sluice_migrations'",
  );
  if (Number(rows[0]?.present) === 0) return { applied: 0, known };
  const applied = await database.client.execute('select count(*) as applied from sluice_migrations');
  return { applied: Number(applied.rows[0]?.applied), known };
}

/**
 * Migrates the database to the newest schema. Each migration is one transaction with its own record. The key of the
 * record lets only one of several starting processes apply it.
 * @param found applied migrations, if they were read already
 * @returns the tags that this call applied
 * @throws UnusableDatabase if the database is newer than this version, or was migrated by other software
 */
export async function migrate(
  database: Database,
  folder: string,
  now: number,
  found?: readonly AppliedMigration[],
): Promise<string[]> {
  const migrations = readMigrations(folder);
  if (found === undefined) await database.client.execute(MIGRATIONS_TABLE);
  const applied: string[] = [];
  for (let guard = 0; guard <= migrations.length * 4; guard += 1) {
    const isFirst = guard === 0 && found !== undefined;
    const rows = isFirst ? found : (await database.client.execute(APPLIED_MIGRATIONS)).rows;
    if (rows.length > migrations.length) {
      throw new UnusableDatabase(
        `DATABASE_URL names a database with ${rows.length} migrations, and this version of Sluice knows ${migrations.length}: a newer version has written it. Start that version, or restore a backup.`,
      );
    }
    for (const [index, row] of rows.entries()) {
      if (row.hash !== migrations[index]?.hash) {
        throw new UnusableDatabase(
          `DATABASE_URL names a database whose migration ${index + 1} is "${String(row.tag)}", which this version of Sluice does not have.`,
        );
      }
    }
    const next = migrations[rows.length];
    if (next === undefined) return applied;
    try {
      await database.client.batch(
        [
          {
            sql: 'insert into sluice_migrations (position, tag, hash, applied_at) values (?, ?, ?, ?)',
            args: [rows.length + 1, next.tag, next.hash, now],
          },
          ...next.statements,
        ],
        'write',
      );
      applied.push(next.tag);
    } catch (fault) {
      const error = convertDatabaseError(fault);
      if (!(error instanceof ConstraintViolation)) throw error;
    }
  }
  throw new UnusableDatabase('DATABASE_URL names a database that another process has been migrating for too long.');
}
