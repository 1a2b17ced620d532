import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyCopy } from '@/lib/admin/backup/backup-file';
import { requireOwnSchema } from '@/lib/admin/backup/backup-schema';
import { makeBackup } from '@/lib/admin/backup/make-backup';
import { restoreBackup } from '@/lib/admin/backup/restore-backup';
import { SYSTEM } from '@/lib/auth/actor';
import { MIGRATIONS_TABLE, migrate, readMigrations } from '@/lib/db/migrate';
import { openDatabase } from '@/lib/db/open-database';

const FIXED = { version: '1.2.3', migrationsFolder: 'drizzle', clock: () => Date.now() };
let folder: string;
let backup: string;

const open = (path: string) =>
  openDatabase({ url: `file:${path}`, monotonic: () => 0, wait: async () => undefined, random: () => 0 });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-schema-'));
  backup = join(folder, 'backup.db');
  const database = open(join(folder, 'live.db'));
  await migrate(database, 'drizzle', 0);
  await makeBackup({ ...FIXED, database, redisUrl: undefined, file: backup });
  database.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The backup with something done to it. */
function changed(...statements: string[]): string {
  const path = join(mkdtempSync(join(folder, 'changed-')), 'backup.db');
  copyFileSync(backup, path);
  const handle = new Libsql(path);
  for (const statement of statements) handle.exec(statement);
  handle.close();
  return path;
}

function restore(file: string, path: string) {
  return restoreBackup({
    ...{ ...FIXED, target: { path }, file, open: () => open(path), replace: false, redisUrl: undefined },
    ...{ overwrite: false, actor: SYSTEM, newId: randomUUID },
    ...{ secret: { own: null, previous: undefined }, newSecret: false },
  });
}

const WRITE_SCHEMA = 'pragma writable_schema = on';
const edit = (from: string, to: string, name: string) => [
  WRITE_SCHEMA,
  `update sqlite_schema set sql = replace(sql, '${from}', '${to}') where name = '${name}'`,
];

it.each([
  ['a trigger', ['create trigger evil after insert on audit begin delete from api_keys; end'], 'the trigger "evil"'],
  ['a view', ['create view everything as select * from audit'], 'the view "everything"'],
  [
    'a view in the place of a table',
    ['drop table grants', 'create view grants as select * from audit'],
    'the view "grants"',
  ],
  ['another table', ['create table notes (a)'], 'the table "notes"'],
  [
    'another note',
    ['drop table sluice_backup', 'create table sluice_backup (note text not null, a as (1))'],
    'the table "sluice_backup"',
  ],
  ['an index', ['create index slow on audit (at)'], 'the index "slow"'],
  ['an index of an expression', ['create index odd on audit (lower(actor))'], 'the index "odd"'],
  ['an index of some rows', ['create index some on audit (at) where abs(seq) > 1'], 'the index "some"'],
  [
    'an index that is another',
    ['drop index grants_api_key', 'create index grants_api_key on grants (lower(api_key_id))'],
    'index "grants_api_key" is not as',
  ],
  ['an index less', ['drop index grants_api_key'], 'no index "grants_api_key"'],
  ['a table less', ['drop table grants'], 'no table "grants"'],
  ['a virtual table', ['create virtual table words using fts5(a)'], 'the virtual table "words"'],
  ['a column more', ['alter table audit add column more text'], 'table "audit" is not as'],
  ['a column of another name', ['alter table grants rename column reason to why'], '"grants" is not as'],
  ['a generated column', ['alter table grants add column twice as (requests * 2)'], 'table "grants" is not as'],
  [
    'a checked column',
    edit('`requests` integer NOT NULL', '`requests` integer NOT NULL check (requests > 0)', 'grants'),
    '"grants" is not as',
  ],
  ['a name with invisible characters', ['create table "a\u202eb" (a)'], 'the table "a\\u202eb"'],
])('a backup with %s is refused by name, before it is restored', async (_, statements, what) => {
  const file = changed(...statements);
  const before = readFileSync(file);
  const path = join(mkdtempSync(join(folder, 'place-')), 'sluice.db');
  for (const attempt of [() => verifyCopy(file, 'drizzle'), () => restore(file, path)]) {
    const refusal: unknown = await attempt().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'BackupRefused', message: expect.stringContaining(what) });
  }
  expect(readFileSync(file).equals(before)).toBe(true);
});

it('a backup as it was made is restored, also after `analyze`', async () => {
  for (const file of [backup, changed('analyze')]) {
    const path = join(mkdtempSync(join(folder, 'place-')), 'sluice.db');
    expect(await restore(file, path)).toMatchObject({ aside: null });
  }
});

it.each(readMigrations('drizzle').map(({ tag }, index) => [tag, index + 1] as const))(
  'a database of the version with %s has the schema of that version',
  (_, count) => {
    const handle = new Libsql(join(mkdtempSync(join(folder, 'old-')), 'old.db'));
    handle.exec(MIGRATIONS_TABLE);
    for (const { tag, hash, statements } of readMigrations('drizzle').slice(0, count)) {
      for (const statement of statements) handle.exec(statement);
      handle.prepare('insert into sluice_migrations (tag, hash, applied_at) values (?, ?, 0)').run(tag, hash);
    }
    requireOwnSchema(handle, 'drizzle');
    handle.exec('create view v as select 1');
    expect(() => requireOwnSchema(handle, 'drizzle')).toThrow('the view "v"');
    handle.close();
  },
);
