import { closeSync, copyFileSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyBackup } from '@/lib/admin/backup/backup-file';
import { findUnreadableText } from '@/lib/db/unreadable-text';
import { insertion, rowOf, TABLES } from '../../fixtures/filled-tables';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';
import { runs } from '../../fixtures/runs';

const SECRETS = {
  authSecret: 'a secret of the tests that has enough characters',
  randomBytes: (size: number) => new Uint8Array(size),
};
/** Bytes that are no UTF-8, in hexadecimal digits: alone, cut off, overlong, a surrogate, after a NUL. */
const BYTES = ['ff', '61ff62', 'c3', 'e282', 'c0af', 'eda080', 'f4908080', '6100ff'];
/** Size of a file that no start checks. The file is sparse. */
const TOO_LARGE = 600 * 2 ** 20;
const COUNTERS = /^(counter_|cleared_counters$)/;
const TEXTS = [...TABLES].flatMap(([table, schema]) =>
  getTableConfig(schema).columns.flatMap(({ name, dataType }) =>
    dataType === 'string' ? [{ table, column: name }] : [],
  ),
);

async function filled(): Promise<MigratedDatabase> {
  const file = await migratedDatabase();
  for (const table of TABLES.keys())
    for (const index of [0, 1]) await file.database.drizzle.run(insertion(table, rowOf(table, index, SECRETS)));
  return file;
}

describe('a text that is not UTF-8', () => {
  it('is found in every column of every table, except the counters', async () => {
    using file = await filled();
    const handle = file.database.handle as NonNullable<typeof file.database.handle>;
    expect(findUnreadableText(handle)).toBeNull();
    for (const [index, { table, column }] of TEXTS.entries()) {
      const bytes = BYTES[index % BYTES.length];
      handle.exec('begin');
      handle.exec(
        `update "${table}" set "${column}" = cast(x'${bytes}' as text) where "${column}" is (select min("${column}") from "${table}")`,
      );
      const found = findUnreadableText(handle);
      handle.exec('rollback');
      if (COUNTERS.test(table)) expect(found, `${table} ${column}`).toBeNull();
      else expect(found, `${table} ${column} ${bytes}`).toMatchObject({ table, column });
    }
  });

  it('is found with all bytes that are none, and with no others', async () => {
    using file = await filled();
    const handle = file.database.handle as NonNullable<typeof file.database.handle>;
    const write = (text: string) => handle.exec(`update members set name = ${text} where role = 'owner'`);
    for (const bytes of BYTES) {
      write(`cast(x'${bytes}' as text)`);
      expect(findUnreadableText(handle), bytes).toMatchObject({ table: 'members', column: 'name' });
    }
    // Two halves of one character in neighbouring cells are no character.
    write("cast(x'c3' as text), email = cast(x'a9' as text) || id");
    expect(findUnreadableText(handle)).toMatchObject({ table: 'members' });
    write("x'ff', email = 'ü' || id, created_by = '漢字🙂' || char(0) || 'x'");
    expect(findUnreadableText(handle)).toBeNull();
  });

  it('stops a start and a restore with a sentence that names it', async () => {
    using file = await filled();
    const { database, path } = file;
    await database.client.execute("update alerts set subject = cast(x'61ff' as text) where id like '8f14e45f%'");
    expect(() => file.reopen()).toThrow(
      `DATABASE_URL names ${path}, which is damaged: the column subject of the table alerts holds a text that is not UTF-8, in the row 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69. Restore a backup, or correct the row with sqlite3.`,
    );
    database.close();
    // The driver keeps a closed connection open until its statements are collected. A backup has none.
    const backup = `${path}-backup`;
    copyFileSync(path, backup);
    await expect(verifyBackup(backup, 'drizzle')).rejects.toThrow(
      'It is damaged: the column subject of the table alerts holds a text that is not UTF-8, in the row 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69.',
    );
  });

  it('leaves out its row in a file that is too large for the check, and ends no process', async () => {
    using file = await filled();
    file.database.close();
    truncateSync(file.path, TOO_LARGE);
    const { handle, drizzle } = file.reopen();
    for (const [index, { table, column }] of TEXTS.entries()) {
      const schema = TABLES.get(table) as SQLiteTable;
      const bytes = BYTES[index % BYTES.length];
      const before = await drizzle.select().from(schema);
      handle?.exec('begin');
      handle?.exec(
        `update "${table}" set "${column}" = cast(x'${bytes}' as text) where "${column}" is (select min("${column}") from "${table}")`,
      );
      const read = await drizzle
        .select()
        .from(schema)
        .then((rows) => rows.length, String);
      handle?.exec('rollback');
      if (typeof read === 'string') expect(read, `${table} ${column} ${bytes}`).toMatch(/^UnreadableRow/);
      else expect(read, `${table} ${column} ${bytes}`).toBeLessThan(before.length);
    }
  });

  it('ends no process, wherever bits of a large file flip', async () => {
    using file = await filled();
    file.database.close();
    const sound = readFileSync(file.path);
    truncateSync(file.path, TOO_LARGE);
    // The header proves that the file is a database: without it, no start is possible.
    const flips = fc.array(
      fc.tuple(fc.integer({ min: 100, max: sound.length - 1 }), fc.integer({ min: 1, max: 255 })),
      {
        minLength: 1,
        maxLength: 400,
      },
    );
    await fc.assert(
      fc.asyncProperty(flips, async (flipped) => {
        const damaged = Buffer.from(sound);
        for (const [at, bits] of flipped) damaged[at] = (damaged[at] ?? 0) ^ bits;
        const opened = openSync(file.path, 'r+');
        writeSync(opened, damaged, 0, damaged.length, 0);
        closeSync(opened);
        const names = [...TABLES.values()];
        const read = async () => {
          const database = file.reopen();
          const answers = await Promise.allSettled(names.map((table) => database.drizzle.select().from(table)));
          database.close();
          return answers.length;
        };
        expect(await read().catch((error: unknown) => error)).toSatisfy(
          (answer: unknown) => answer === names.length || answer instanceof Error,
        );
      }),
      runs(40),
    );
  });
});
