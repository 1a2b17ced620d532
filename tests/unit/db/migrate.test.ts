import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migrate, readMigrations } from '@/lib/db/migrate';
import { migratedDatabase } from '@/tests/fixtures/migrated-database';

/** The first migrations only, as an earlier version of Sluice had them. */
function firstMigrations(count: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync('drizzle', folder, { recursive: true });
  const path = join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }));
  return folder;
}

test.each(readMigrations('drizzle').map(({ tag }, index) => [tag, index + 1] as const))(
  'a database of the version with %s keeps its rows when it is brought up to date',
  async (_, count) => {
    const folder = firstMigrations(count);
    using migrated = await migratedDatabase(folder);
    const { client } = migrated.database;
    await client.execute("insert into settings (name, value, updated_at, revision) values ('policies', '{}', 0, 1)");
    const later = readMigrations('drizzle').slice(count);
    expect(await migrate(migrated.database, 'drizzle', 0)).toEqual(later.map(({ tag }) => tag));
    expect((await client.execute('select * from settings')).rows).toMatchObject([{ name: 'policies', value: '{}' }]);
    expect((await client.execute('select count(*) as kept from assessments')).rows).toMatchObject([{ kept: 0 }]);
    if (later.length > 0) await expect(migrate(migrated.database, folder, 0)).rejects.toThrow('a newer version');
  },
);
