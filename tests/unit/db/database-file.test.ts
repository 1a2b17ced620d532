import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/lib/db/database';
import { DatabaseUnavailable } from '@/lib/db/errors';
import { migrate } from '@/lib/db/migrate';
import { openDatabase } from '@/lib/db/open-database';
import { makeOwnDirectory } from '@/lib/db/owner-only';
import { UnusableDatabase } from '@/lib/db/unusable-database';
import { refusedBy } from '../../fixtures/refused-by';

const SECRET = 'auth-secret';
let directory: string;
let path: string;
const opened: Database[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-file-'));
  path = join(directory, 'sluice.db');
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  rmSync(directory, { recursive: true, force: true });
});

function open(at = path, companion?: string): Database {
  const database = openDatabase({
    ...(companion === undefined ? {} : { companion }),
    url: `file:${at}`,
    monotonic: () => performance.now(),
    wait: async () => undefined,
    random: () => 0,
  });
  opened.push(database);
  return database;
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

const sentence = (work: () => unknown) => refusedBy(UnusableDatabase, work)?.message ?? '';

describe('the files of a database', () => {
  it('are beside the file itself where its name is a link, for their owner alone, and keep what is changed', async () => {
    const real = join(directory, 'elsewhere', 'real.db');
    mkdirSync(join(directory, 'elsewhere'));
    symlinkSync(real, path);
    const database = open();
    await migrate(database, 'drizzle', 0);
    await database.client.execute("insert into settings values ('a', '1', 0, 0, 0)");
    expect(readdirSync(directory).sort()).toEqual(['elsewhere', 'sluice.db']);
    expect([real, `${real}-wal`, `${real}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
  });

  it('are for their owner alone, with the directories that are made for them', async () => {
    path = join(directory, 'a', 'b', 'sluice.db');
    const database = open(path);
    await migrate(database, 'drizzle', 0);
    expect([path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
    expect([join(directory, 'a'), join(directory, 'a', 'b')].map(modeOf)).toEqual(['700', '700']);
  });

  it('of an earlier version are closed to others, in a directory that stays as it is', async () => {
    const files = [path, `${path}-wal`, `${path}-shm`];
    const first = open();
    await migrate(first, 'drizzle', 0);
    for (const file of files) chmodSync(file, 0o644);
    chmodSync(directory, 0o755);
    open();
    expect(files.map(modeOf)).toEqual(['600', '600', '600']);
    expect(modeOf(directory)).toBe('755');
  });

  it('are found through a link', () => {
    const other = join(directory, 'elsewhere.db');
    writeFileSync(other, '', { mode: 0o644 });
    symlinkSync(other, path);
    open();
    expect(modeOf(other)).toBe('600');
  });
});

it('makes no directory where none can be, and comes back', () => {
  expect(() => makeOwnDirectory('/proc/sluice/data')).toThrow('ENOENT');
});

describe('a database that cannot be used', () => {
  it.each([
    [
      'text',
      () => writeFileSync(path, 'this is not a database, but long enough to look like a file of one'),
      'not a database',
    ],
    ['a directory', () => mkdirSync(path), 'is a directory'],
    ['a path through a file', () => writeFileSync(join(directory, 'x'), ''), 'not a directory'],
    ['a place that takes no files', () => undefined, 'cannot be made'],
  ])('is told as such: %s', (kind, prepare, words) => {
    prepare();
    if (kind === 'a path through a file') path = join(directory, 'x', 'sluice.db');
    if (kind === 'a place that takes no files') path = '/proc/sluice/data/sluice.db';
    const said = sentence(() => open(path));
    expect(said).toContain(`DATABASE_URL names ${path}`);
    expect(said).toContain(words);
  });

  it.each([2, 5, 9])('is told as such: page %i damaged', async (page) => {
    const whole = open();
    await migrate(whole, 'drizzle', 0);
    await whole.client.executeMultiple('pragma wal_checkpoint(truncate)');
    opened.splice(0);
    whole.close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, (page - 1) * 4096, page * 4096);
    writeFileSync(path, bytes);
    const said = sentence(() => open());
    expect(said).toContain(`DATABASE_URL names ${path}`);
    expect(said).toContain('damaged');
  });
});

describe('the file that is open', () => {
  const write = (database: Database) => database.client.execute('create table if not exists t (a)');

  it('is in place until it is deleted, and nothing is written to it then', async () => {
    const database = open();
    await write(database);
    expect(database.isInPlace()).toBe(true);
    rmSync(path);
    expect(database.isInPlace()).toBe(false);
    await expect(write(database)).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(database.client.batch(['insert into t values (1)'])).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect((await database.client.execute('select 1 as one')).rows[0]?.one).toBe(1);
  });

  it('is not in place after a backup took its path', async () => {
    const database = open();
    await write(database);
    copyFileSync(path, join(directory, 'backup'));
    renameSync(join(directory, 'backup'), path);
    expect(database.isInPlace()).toBe(false);
    await expect(write(database)).rejects.toBeInstanceOf(DatabaseUnavailable);
  });
});

describe('a database that was lost', () => {
  /** What a start says; nothing is made when it says something. */
  const lost = () => sentence(() => open(path, SECRET));
  const pastDatabase = async (at: string) => {
    const database = open(at);
    await migrate(database, 'drizzle', 0);
    return database;
  };

  it('is nothing that a first start knows of', () => {
    writeFileSync(join(directory, 'notes.txt'), 'SQLite format 3');
    writeFileSync(join(directory, 'other.db'), 'SQLite format 3\0 of another program');
    expect(lost()).toBe('');
    path = join(directory, 'new', 'sluice.db');
    expect(lost()).toBe('');
  });

  it.each(['is missing', 'is empty', 'has no tables, as a copy without its log'])(
    'when it %s, is given away by its secret',
    (how) => {
      if (how !== 'is missing') writeFileSync(path, '');
      if (how.startsWith('has no tables')) {
        open().close();
        opened.splice(0);
        rmSync(`${path}-wal`, { force: true });
        expect(statSync(path).size).toBeGreaterThan(0);
      }
      writeFileSync(join(directory, SECRET), 'x');
      const before = readdirSync(directory);
      const said = lost();
      expect(said).toContain(`DATABASE_URL names ${path}`);
      expect(said).toContain(join(directory, SECRET));
      expect(said).toContain('Restore a backup');
      if (how !== 'has no tables, as a copy without its log') expect(readdirSync(directory)).toEqual(before);
    },
  );

  it('is not a database that is there, with everything beside it', async () => {
    const database = await pastDatabase(path);
    writeFileSync(join(directory, SECRET), 'x');
    copyFileSync(path, `${path}.bak`);
    expect(lost()).toBe('');
    expect(database.isInPlace()).toBe(true);
  });

  it('is given away by its log', async () => {
    await pastDatabase(path);
    rmSync(path);
    expect(lost()).toContain(`${path}-wal`);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    truncateSync(`${path}-wal`);
    expect(lost()).toBe('');
  });

  it.each(['sluice.db.bak', 'sluice.db.gz', 'sluice.db-2026-11-20'])('is given away by a backup named %s', (name) => {
    writeFileSync(join(directory, name), 'x');
    expect(lost()).toContain(join(directory, name));
  });

  it('is given away by a backup of any name', async () => {
    const database = await pastDatabase(join(directory, 'elsewhere', 'sluice.db'));
    await database.client.executeMultiple(`vacuum into '${join(directory, 'monday')}'`);
    expect(lost()).toContain(join(directory, 'monday'));
  });
});

it('is whole in its file alone after it was closed', async () => {
  const database = open();
  await migrate(database, 'drizzle', 0);
  opened.splice(0);
  database.close();
  const copy = join(directory, 'copy', 'sluice.db');
  mkdirSync(join(directory, 'copy'));
  copyFileSync(path, copy);
  const { rows } = await open(copy).client.execute('select count(*) as n from sluice_migrations');
  expect(Number(rows[0]?.n)).toBeGreaterThan(0);
});
