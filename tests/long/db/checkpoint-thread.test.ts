import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import type { CheckpointOptions } from '@/lib/db/checkpoint-thread';
import type { Database } from '@/lib/db/database';
import { openDatabase } from '@/lib/db/open-database';
import { until } from '../../fixtures/until';

const MEBIBYTE = 2 ** 20;
/** More than the log may have before the thread begins to copy. */
const LONG = 40;

let folder: string;
let path: string;
let failures: unknown[];
const opened: { close(): void }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-checkpoints-'));
  path = join(folder, 'sluice.db');
  failures = [];
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(options: Partial<CheckpointOptions> = {}, at = `file:${path}`): Database {
  const database = openDatabase({
    url: at,
    monotonic: () => performance.now(),
    wait: async () => undefined,
    random: () => 0,
    checkpoints: { failed: (error) => failures.push(error), ...options },
  });
  database.handle?.exec('create table if not exists rows (id integer primary key, data blob)');
  opened.push(database);
  return database;
}

/** Commits so many rows of 1 MiB. */
function write({ handle }: Database, count: number): void {
  for (let row = 0; row < count; row += 1) handle?.exec(`insert into rows (data) values (randomblob(${MEBIBYTE}))`);
}

const sizeOfLog = () => statSync(`${path}-wal`).size / MEBIBYTE;
/** How often the log was begun anew. */
const generation = () => readFileSync(`${path}-wal`).readUInt32BE(12);
const numberOf = (handle: Libsql.Database) =>
  Number((handle.prepare('select count(*) from rows').raw().get() as [number])[0]);
const pragma = ({ handle }: Database, name: string) => handle?.prepare(`pragma ${name}`).raw().get();

/** Goes on writing little until the log begins anew; it may have done so before, and has to become long again. */
async function begunAnew(database: Database): Promise<void> {
  const before = generation();
  await until(() => {
    database.handle?.exec('insert into rows (data) values (randomblob(250000))');
    return generation() !== before;
  });
}

/** What is in a copy of the file without its log. */
function rowsOfFileAlone(): number {
  const copy = join(folder, 'copy.db');
  copyFileSync(path, copy);
  const handle = new Libsql(copy);
  opened.push(handle);
  expect(handle.prepare('pragma integrity_check').raw().get()).toEqual(['ok']);
  return numberOf(handle);
}

it('copies a long log, again and again, so that it begins anew long before the connection would copy', async () => {
  const database = open();
  for (let round = 1; round <= 3; round += 1) {
    write(database, LONG);
    await begunAnew(database);
  }
  expect(generation()).toBeGreaterThanOrEqual(3);
  // The connection would at 256 MiB.
  expect(sizeOfLog()).toBeLessThan(192);
  expect(pragma(database, 'wal_autocheckpoint')).toEqual([64_000]);
  expect(failures).toEqual([]);
});

it('waits for a reader that holds a snapshot: the log grows meanwhile, and shrinks afterwards', async () => {
  const database = open();
  write(database, 1);
  const reader = new Libsql(path);
  opened.push(reader);
  reader.exec('begin');
  expect(numberOf(reader)).toBe(1);
  for (let round = 0; round < 7; round += 1) {
    write(database, LONG);
    await new Promise(setImmediate);
  }
  expect(sizeOfLog()).toBeGreaterThan(7 * LONG);
  expect(generation()).toBe(0);
  expect(numberOf(reader)).toBe(1);
  reader.exec('commit');
  await begunAnew(database);
  expect(sizeOfLog()).toBeLessThanOrEqual(256);
  expect(numberOf(reader)).toBeGreaterThan(7 * LONG);
  expect(failures).toEqual([]);
});

describe('a thread that fails', () => {
  it.each([
    ['because it cannot load libSQL', ''],
    [
      'at its first checkpoint',
      'module.exports = class { exec() {} prepare() { return { raw: () => ({ all() { throw new Error("no") } }) }; } close() {} };',
    ],
  ])('%s, leaves checkpoints to the connection, and says so once', async (_, source) => {
    const library = join(folder, 'library.cjs');
    if (source !== '') writeFileSync(library, source);
    const database = open({ library });
    write(database, LONG);
    await until(() => failures.length > 0);
    expect(failures).toEqual([expect.any(Error)]);
    expect(pragma(database, 'wal_autocheckpoint')).toEqual([16_000]);
    write(database, 2 * LONG);
    expect(generation()).toBeGreaterThan(0);
    expect(sizeOfLog()).toBeLessThan(128);
    database.close();
    expect(failures).toHaveLength(1);
    expect(rowsOfFileAlone()).toBe(3 * LONG);
  });
});

describe('close()', () => {
  it('leaves a file that is whole alone, whatever the thread is doing', async () => {
    let rows = 0;
    for (let round = 0; round < 4; round += 1) {
      const database = open();
      write(database, LONG);
      rows += LONG;
      // The thread is not asked for, is starting, is copying, or has copied.
      await new Promise((resolve) => setTimeout(resolve, 80 * round));
      database.close();
      expect(rowsOfFileAlone()).toBe(rows);
    }
    expect(failures).toEqual([]);
  });

  it('has no thread to end in memory, or before the log is long', () => {
    open({ library: 'nowhere' }, 'file::memory:').close();
    open({ library: 'nowhere' }).close();
    expect(failures).toEqual([]);
  });
});

describe('a process that ends during checkpoints', () => {
  const COMMITS = [70, 80, 120, 200, 301];

  async function run(last: number, onRow: (count: number, kill: () => void) => void) {
    const script = await bundle('tests/long/db/writing-process.ts');
    const child = fork(script, [path, `${last}`], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const committed: number[] = [];
    child.on('message', (id: number) => onRow(committed.push(id), () => child.kill('SIGKILL')));
    const [code] = (await once(child, 'close')) as [number | null];
    const handle = new Libsql(path);
    opened.push(handle);
    expect(handle.prepare('pragma integrity_check').raw().get()).toEqual(['ok']);
    const there = new Set((handle.prepare('select id from rows').raw().all() as [number][]).map(([id]) => id));
    expect(committed.filter((id) => !there.has(id))).toEqual([]);
    return code;
  }

  it.each(COMMITS)('by kill -9 after %i commits, has lost none of them', async (count) => {
    await run(0, (committed, kill) => committed === count && kill());
  });

  it.each(COMMITS)('by itself after %i commits, ends orderly', async (last) => {
    expect(await run(last, () => undefined)).toBe(0);
  });
});
