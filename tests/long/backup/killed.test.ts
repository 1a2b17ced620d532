import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyCopy } from '@/lib/admin/backup/backup-file';
import { applyState } from '@/lib/admin/state/apply';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { openDatabase } from '@/lib/db/open-database';
import { call } from '../../fixtures/call';
import { commandLine, type Running } from '../../fixtures/command-line';
import { manyEntries } from '../../fixtures/many-entries';
import { servicesOn } from '../../fixtures/services';
import { SqldServer, sqldIsMissing } from '../../fixtures/sqld-server';
import { until } from '../../fixtures/until';

/** Rows of the allowlist before the restore, and in the backup, which takes long enough to be interrupted. */
const BEFORE = 3;
const RESTORED = 5_000;
const RANDOM_KILLS = 4;

const AUTH_SECRET = 'a secret that a server needs, which is not in this test';

let cli: Awaited<ReturnType<typeof commandLine>>;
let folder: string;
/** How long a whole restore takes here, ms: the range of the shares. */
let duration: number;
const at = (...names: string[]) => join(folder, ...names);
/** What is in the directory of the data, apart from what SQLite keeps beside a database. */
const data = () =>
  readdirSync(at('data'))
    .filter((name) => !/^sluice\.db-(wal|shm)$/.test(name))
    .sort();

function open(url: string): Database {
  return openDatabase({ url, monotonic: () => performance.now(), wait: async () => undefined, random: Math.random });
}

/** A database with so many entries; a file also gets a copy, because the driver lets go of one only some time later. */
async function fill(url: string, count: number, copy?: string): Promise<void> {
  const database = open(url);
  await migrate(database, 'drizzle', 0);
  const services = await servicesOn(database, {}, () => Date.now());
  expect((await call(services, applyState, { body: manyEntries(count) })).status).toBe(200);
  await services.counters.close();
  if (copy !== undefined) database.handle?.exec(`vacuum into '${copy}'`);
  database.close();
}

const countIn = (path: string): number => {
  const handle = new Libsql(path);
  const [count] = handle.prepare('select count(*) from allowlist').raw().get() as [number];
  handle.close();
  return Number(count);
};

const start = (url: string): Running => {
  const running = cli.start(['restore', at('backup.db'), '--replace'], {
    env: { DATABASE_URL: url, AUTH_SECRET },
    directory: folder,
  });
  running.end();
  return running;
};

/** Restores, and kills it when `moment` has come or it has ended. */
async function killed(url: string, moment: (isOver: () => boolean) => Promise<unknown>): Promise<void> {
  const running = start(url);
  let isOver = false;
  const ended = running.ended.then(() => {
    isOver = true;
  });
  await moment(() => isOver);
  running.signal('SIGKILL');
  await ended;
}

const shares = Array.from({ length: RANDOM_KILLS }, (_, i) => (i + Math.random()) / RANDOM_KILLS);
const names = shares.map((share): [string, number] => [share.toFixed(3), share]);

beforeAll(async () => {
  cli = await commandLine();
  folder = mkdtempSync(join(tmpdir(), 'sluice-killed-'));
  await fill(`file:${at('one.db')}`, BEFORE, at('before.db'));
  await fill(`file:${at('two.db')}`, RESTORED, at('backup.db'));
  mkdirSync(at('data'));
  const begun = performance.now();
  expect(await start('file:data/sluice.db').ended).toMatchObject({ code: 0 });
  duration = performance.now() - begun;
});
afterAll(() => {
  cli.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('a restore into a file that is killed', () => {
  beforeEach(() => {
    rmSync(at('data'), { recursive: true });
    mkdirSync(at('data'));
    copyFileSync(at('before.db'), at('data', 'sluice.db'));
  });

  /** The whole database from before or the whole backup, and the next attempt works and clears up. */
  async function holdsAWholeDatabase(): Promise<void> {
    const path = at('data', 'sluice.db');
    expect([BEFORE, RESTORED]).toContain(countIn(path));
    await verifyCopy(path, 'drizzle');
    const { code, stderr } = await start('file:data/sluice.db').ended;
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(countIn(path)).toBe(RESTORED);
    const asides = data().filter((name) => name.startsWith('sluice.db.before-'));
    expect(data()).toEqual(['sluice.db', ...asides]);
    // Set aside under one name each: none of them is the database itself.
    for (const name of asides) expect(statSync(at('data', name)).nlink).toBe(1);
  }

  it.each(names)('at %s of its time, leaves a whole database', async (_, share) => {
    await killed('file:data/sluice.db', (isOver) => Promise.race([wait(duration * share), overSoon(isOver)]));
    await holdsAWholeDatabase();
  });

  it.each([
    ['its draft is there', () => data().some((name) => name.endsWith('.sluice-draft'))],
    ['its draft is being changed', () => data().some((name) => /\.sluice-draft-(wal|journal)$/.test(name))],
    ['what was there has two names', () => data().some((name) => name.includes('.before-'))],
  ])('when %s, leaves a whole database', async (_, hasCome) => {
    await killed('file:data/sluice.db', async (isOver) => {
      while (!isOver() && !hasCome()) await turn();
    });
    await holdsAWholeDatabase();
  });
});

/** Resolves when the process has ended. */
async function overSoon(isOver: () => boolean): Promise<void> {
  while (!isOver()) await wait(5);
}

it('a restore does not take over the log of the database that it replaces', async () => {
  rmSync(at('data'), { recursive: true });
  mkdirSync(at('data'));
  copyFileSync(at('before.db'), at('data', 'sluice.db'));
  // A process that was killed leaves a log; then the database itself was lost.
  const handle = new Libsql(at('data', 'sluice.db'));
  handle.exec("pragma journal_mode = wal; pragma wal_autocheckpoint = 0; update allowlist set reason = 'in the log'");
  const log = readFileSync(at('data', 'sluice.db-wal'));
  expect(log.length).toBeGreaterThan(0);
  copyFileSync(at('data', 'sluice.db-wal'), at('lost-wal'));
  handle.close();
  for (const name of data()) rmSync(at('data', name));
  copyFileSync(at('lost-wal'), at('data', 'sluice.db-wal'));
  expect(await start('file:data/sluice.db').ended).toMatchObject({ code: 0 });
  expect(countIn(at('data', 'sluice.db'))).toBe(RESTORED);
  await verifyCopy(at('data', 'sluice.db'), 'drizzle');
  const kept = data().find((name) => /\.before-.*-wal$/.test(name)) ?? '';
  expect(readFileSync(at('data', kept)).equals(log)).toBe(true);
});

describe.skipIf(sqldIsMissing('a restore into a server that is killed'))(
  'a restore into a server that is killed',
  () => {
    let sqld: SqldServer;
    beforeAll(async () => {
      sqld = await SqldServer.start();
      await fill(sqld.url, BEFORE);
    });
    afterAll(() => sqld.stop());

    const env = () => sqld.url;

    it.each([0.6, 0.9])('at %d of its time, leaves the one or the other', async (share) => {
      await killed(env(), () => wait(duration * share));
      const database = sqld.open();
      const { rows } = await database.client.execute('select count(*) from allowlist');
      expect([BEFORE, RESTORED]).toContain(Number(rows[0]?.[0]));
      database.close();
    });

    it('and the next attempt works, once the server has dropped the transaction of the killed one', async () => {
      await until(async () => {
        const { code, stderr } = await start(env()).ended;
        if (code !== 0) expect(stderr).toContain('SQLITE_BUSY');
        return code === 0;
      });
      expect(existsSync(at('backup.db'))).toBe(true);
      const database = sqld.open();
      const { rows } = await database.client.execute('select count(*) from allowlist');
      expect(Number(rows[0]?.[0])).toBe(RESTORED);
      database.close();
      expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
    });
  },
);
