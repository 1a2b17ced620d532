import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { desc } from 'drizzle-orm';
import Libsql from 'libsql';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { audit } from '@/drizzle/schema';
import { verifyCopy } from '@/lib/admin/backup/backup-file';
import { type BackupOptions, makeBackup } from '@/lib/admin/backup/make-backup';
import { type RestoreOptions, restoreBackup } from '@/lib/admin/backup/restore-backup';
import { SYSTEM } from '@/lib/auth/actor';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { openDatabase } from '@/lib/db/open-database';
import { recordProcess } from '@/lib/db/running-processes';
import type { Attempt } from '@/lib/limiter/meter';
import type { Services } from '@/lib/operation/services';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { servicesOn } from '../../fixtures/services';
import { SqldServer, sqldIsMissing } from '../../fixtures/sqld-server';
import { until } from '../../fixtures/until';

const clock = () => Date.now();
const FIXED = { version: '1.2.3', migrationsFolder: 'drizzle', clock };

const ask = (name: string): Attempt => ({
  meters: [
    { subject: 'ip', key: `ip|${name}|read|3600`, limit: 1_000_000, window: { kind: 'sliding', seconds: 3600 } },
    { subject: 'quota', key: `quota|${name}|month`, limit: 1_000_000, window: { kind: 'month' } },
  ],
  cost: 1,
});

function open(url: string): Database {
  return openDatabase({ url, monotonic: () => performance.now(), wait: async () => undefined, random: Math.random });
}

/** A process on a database, with what it has decided so far. */
async function start(url: string, env: Record<string, string> = {}) {
  const database = open(url);
  await migrate(database, 'drizzle', 0);
  const services = await servicesOn(database, env, clock);
  const stop = async () => {
    await services.counters.close();
    if (!database.client.closed) database.close();
  };
  onTestFinished(stop);
  return { services, database, stop };
}

/** How much of the two meters is used, with this request. */
async function decide({ counters, rules }: Services, name: string): Promise<(number | undefined)[]> {
  for (;;) {
    const commit = await counters.commit(rules.current.revision, [ask(name)]);
    if (commit.kind === 'decided') return commit.verdicts[0]?.readings.map(({ used }) => used) ?? [];
    await rules.refresh();
  }
}

describe.skipIf(redisIsMissing('integration/backup') || sqldIsMissing('integration/backup'))('a backup', () => {
  let redis: RedisServer;
  let sqld: SqldServer;
  let folder: string;
  beforeAll(async () => {
    [redis, sqld] = await Promise.all([RedisServer.start({ port: 'free' }), SqldServer.start()]);
  });
  afterAll(async () => {
    await redis.stop();
    await sqld.stop();
  });
  beforeEach(async () => {
    await redis.admin.flushall();
    folder = mkdtempSync(join(tmpdir(), 'sluice-backup-test-'));
    return () => rmSync(folder, { recursive: true, force: true });
  });

  const at = (name: string) => join(folder, name);
  const backUp = (database: Database, options: Partial<BackupOptions> = {}) =>
    makeBackup({ ...FIXED, database, redisUrl: undefined, file: at('backup.db'), ...options });
  const restore = (target: RestoreOptions['target'], url: string, options: Partial<RestoreOptions> = {}) =>
    restoreBackup({
      ...{ ...FIXED, target, file: at('backup.db'), open: () => open(url), replace: false, redisUrl: undefined },
      ...{ overwrite: false, actor: SYSTEM, newId: randomUUID },
      ...{ secret: { own: null, previous: undefined }, newSecret: false },
      ...options,
    });
  /** The driver lets go of a file only when its statements are collected: what a process leaves behind is a copy here. */
  const copyOfStopped = async (stop: () => Promise<void>) => {
    await stop();
    copyFileSync(at('live.db'), at('stopped.db'));
    return at('stopped.db');
  };
  const newest = async (database: Database) => {
    const [record] = await database.drizzle.select().from(audit).orderBy(desc(audit.seq)).limit(1);
    return record?.action;
  };

  it('is whole while decisions and changes go on, and nobody else can read it', async () => {
    const { services, database } = await start(`file:${at('live.db')}`);
    let decided = 0;
    let running = true;
    const load = (async () => {
      while (running) {
        await decide(services, 'k');
        decided += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await until(() => decided > 50);
    const before = decided;
    // As the command does: by a connection of its own.
    const own = open(`file:${at('live.db')}`);
    const made = await backUp(own);
    own.close();
    const after = decided;
    running = false;
    await load;
    expect(made.counters.requests).toBeGreaterThanOrEqual(before);
    expect(made.counters.requests).toBeLessThanOrEqual(after + 1);
    expect(made).toMatchObject({ counters: { keys: 1 }, note: { version: '1.2.3' } });
    expect(statSync(at('backup.db')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.includes('draft') || name.startsWith('backup.db-'))).toEqual([]);

    const stopped = await start(`file:${at('restored.db')}`);
    await stopped.stop();
    rmSync(at('restored.db'));
    const { backup, aside } = await restore({ path: at('restored.db') }, `file:${at('restored.db')}`);
    expect([backup.revision, aside]).toEqual([made.revision, null]);
    const restored = await start(`file:${at('restored.db')}`);
    expect(await decide(restored.services, 'k')).toEqual([made.counters.requests + 1, made.counters.requests + 1]);
    expect(await newest(restored.database)).toBe('database.restore');
    expect(await newest(database)).not.toBe('database.restore');
  });

  it('is refused when anything of it is not as it was, and changes nothing then', async () => {
    const { services, database } = await start(`file:${at('live.db')}`);
    for (let i = 0; i < 3; i += 1) await decide(services, 'k');
    await backUp(database);
    const spoiled = (name: string, how: (handle: Libsql.Database) => void) => {
      copyFileSync(at('backup.db'), at(name));
      const handle = new Libsql(at(name));
      how(handle);
      handle.close();
      return verifyCopy(at(name), 'drizzle');
    };
    await expect(verifyCopy(at('backup.db'), 'drizzle')).resolves.toMatchObject({ note: { format: 1 } });
    await expect(spoiled('rows', (db) => db.exec('delete from counter_months'))).rejects.toThrow(
      /counter_months has 0 rows, and 1/,
    );
    await expect(
      spoiled('chain', (db) =>
        db.exec("insert into audit select 1, 0, 'x', 'x', 'x', 'x', 'x', null, null, null, null, null, 'x', 'y', null"),
      ),
    ).rejects.toThrow(/audit has|audit log/);
    await expect(spoiled('other', (db) => db.exec('drop table sluice_migrations'))).rejects.toThrow(
      /not one of Sluice/,
    );
    const bytes = readFileSync(at('backup.db'));
    writeFileSync(at('cut'), bytes.subarray(0, bytes.length / 2));
    await expect(verifyCopy(at('cut'), 'drizzle')).rejects.toThrow(/damaged|cannot be read/);
    // SQLite keeps changes beside a database in use.
    copyFileSync(at('backup.db'), at('used'));
    writeFileSync(`${at('used')}-wal`, '');
    await expect(verifyCopy(at('used'), 'drizzle')).rejects.toThrow(/used-wal exists/);
    writeFileSync(at('text'), 'no database at all');
    await expect(verifyCopy(at('text'), 'drizzle')).rejects.toThrow(/cannot be read/);
    await expect(restore({ path: at('new.db') }, `file:${at('new.db')}`, { file: at('cut') })).rejects.toThrow();
    expect(existsSync(at('new.db'))).toBe(false);
  });

  it('never replaces a database in use, another one only when told to, and sets that aside', async () => {
    const url = `file:${at('live.db')}`;
    const { services, database, stop } = await start(url);
    for (let i = 0; i < 7; i += 1) await decide(services, 'k');
    await backUp(database);
    for (let i = 0; i < 5; i += 1) await decide(services, 'k');
    await expect(restore({ path: at('live.db') }, url)).rejects.toThrow(/is there already\. With --replace/);
    await expect(restore({ path: at('live.db') }, url, { replace: true })).rejects.toThrow(
      /is in use: stop every Sluice process/,
    );
    expect(await decide(services, 'k')).toEqual([13, 13]);
    const stopped = await copyOfStopped(stop);
    const { aside } = await restore({ path: stopped }, `file:${stopped}`, { replace: true });
    const again = await start(`file:${stopped}`);
    expect(await decide(again.services, 'k')).toEqual([8, 8]);
    copyFileSync(String(aside), at('former.db'));
    const former = await start(`file:${at('former.db')}`);
    expect(await decide(former.services, 'k')).toEqual([14, 14]);
  });

  it('can be a copy of a database that was not in use', async () => {
    const { services, stop } = await start(`file:${at('live.db')}`);
    for (let i = 0; i < 3; i += 1) await decide(services, 'k');
    const file = await copyOfStopped(stop);
    expect(readFileSync(file).subarray(18, 20)).toEqual(Buffer.from([2, 2])); // WAL mode
    await verifyCopy(file, 'drizzle');
    await restore({ path: at('restored.db') }, `file:${at('restored.db')}`, { file });
    expect(await decide((await start(`file:${at('restored.db')}`)).services, 'k')).toEqual([4, 4]);
  });

  it('sets each database aside under a name of its own, two of one second too', async () => {
    const { database, stop } = await start(`file:${at('live.db')}`);
    await backUp(database);
    await stop();
    const moment = Date.UTC(2026, 10, 23, 9, 30, 15);
    const asides: (string | null)[] = [];
    for (let count = 0; count < 3; count += 1) {
      // Each a file of its own: the driver lets go of one only some time later.
      copyFileSync(at('backup.db'), at('copy.db'));
      renameSync(at('copy.db'), at('replaced.db'));
      const options = { replace: true, clock: () => moment };
      const { aside } = await restore({ path: at('replaced.db') }, `file:${at('replaced.db')}`, options);
      asides.push(aside);
    }
    const named = at('replaced.db.before-20261123T093015Z');
    expect(asides).toEqual([named, `${named}-2`, `${named}-3`]);
    for (const aside of asides) await verifyCopy(String(aside), 'drizzle');
  });

  it('carries the counters in Redis, and restores them there, whatever it holds by then', async () => {
    const url = `file:${at('live.db')}`;
    const env = { REDIS_URL: redis.url };
    const { services, database, stop } = await start(url, env);
    for (let i = 0; i < 9; i += 1) await decide(services, 'k');
    await expect(backUp(database)).rejects.toThrow(/are in Redis at .*: set REDIS_URL/);
    const made = await backUp(database, { redisUrl: redis.url });
    expect(made.counters).toEqual({ keys: 1, requests: 9, windows: 1 });
    expect(made.note?.counters_from).toBe(`Redis at ${redis.url}/0`);
    for (let i = 0; i < 4; i += 1) await decide(services, 'later');
    const stopped = await copyOfStopped(stop);
    const options = { replace: true, redisUrl: redis.url };
    const { counters } = await restore({ path: stopped }, `file:${stopped}`, options);
    expect(counters?.counters).toEqual({ keys: 1, requests: 9, windows: 1 });
    const again = await start(`file:${stopped}`, env);
    expect(await decide(again.services, 'k')).toEqual([10, 10]);
    expect(await decide(again.services, 'later')).toEqual([1, 1]);
  });

  it('goes from a file to a server and back, with its counters', async () => {
    const { services, database } = await start(`file:${at('live.db')}`);
    for (let i = 0; i < 6; i += 1) await decide(services, 'k');
    await backUp(database);
    const server = sqld.open();
    onTestFinished(() => server.close());
    const moved = await restore({ server }, sqld.url);
    expect(moved.counters).toMatchObject({ to: { store: 'remote' }, counters: { requests: 6 } });
    const there = await start(sqld.url);
    expect(await decide(there.services, 'k')).toEqual([7, 7]);
    expect(await newest(there.database)).toBe('counter_store.arrive');

    const made = await backUp(server, { file: at('of-server.db') });
    expect(made.counters).toEqual({ keys: 1, requests: 7, windows: 1 });
    const file = at('of-server.db');
    await restore({ path: at('back.db') }, `file:${at('back.db')}`, { file });
    expect(await decide((await start(`file:${at('back.db')}`)).services, 'k')).toEqual([8, 8]);

    await expect(restore({ server }, sqld.url, { file })).rejects.toThrow(/is not empty/);
    await recordProcess(there.database, 'one');
    await expect(restore({ server }, sqld.url, { file, replace: true })).rejects.toThrow(
      /Sluice runs on that database, on .*process \d+/,
    );
    await there.database.client.execute("delete from settings where name like 'process:%'");
    const { aside } = await restore({ server }, sqld.url, { file, replace: true });
    expect((await verifyCopy(String(aside), 'drizzle')).note?.counters_from).toBe('the libSQL server');
    expect(await decide((await start(sqld.url)).services, 'k')).toEqual([8, 8]);
  });
});
