import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import Libsql from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { embeddedCounters, openCounters } from '@/bench/tables';
import { StoreUnavailable } from '@/lib/counters/store';
import type { Attempt } from '@/lib/limiter/meter';
import { SmallDisk, smallDiskIsMissing } from '../../fixtures/small-disk';
import { databasePath, openStore } from '../../unit/counters/open-counters';

const attempt = (key: string, limit = Number.MAX_SAFE_INTEGER): Attempt => ({
  meters: [{ subject: 'ip', key, limit, window: { kind: 'sliding', seconds: 60 } }],
  cost: 1,
});

/** What another process finds counted under a key. */
async function stored(path: string, key: string, now: number): Promise<number | undefined> {
  const database = openCounters(path);
  const store = embeddedCounters(database, { clock: () => now });
  const [state] = await store.read([{ key, window: { kind: 'sliding', seconds: 60 } }]);
  database.close();
  return state?.used;
}

describe('a file that another process has locked', () => {
  it('loses no acknowledged write over 1,000 collisions', async () => {
    const path = databasePath();
    let busy = 0;
    let release = () => {};
    const { store, database, clock } = openStore(path, {
      // During the pause the other process runs: so each wait is one collision, and none is a matter of luck.
      wait: async () => {
        busy++;
        if (busy % 3 === 0) release();
      },
    });
    database.exec('pragma busy_timeout = 1');
    const other = openCounters(path);
    let acknowledged = 0;
    while (busy < 1000) {
      other.exec('begin immediate');
      other.prepare('insert or replace into counter_months values (?, 1, 1, 0)').run(`quota|${busy}|month`);
      release = () => {
        if (other.inTransaction) other.exec('commit');
      };
      await store.commit(0, [attempt('ip|a|read|60'), attempt('ip|a|read|60')]);
      acknowledged += 2;
      if (acknowledged % 100 === 0) expect(await stored(path, 'ip|a|read|60', clock.now)).toBe(acknowledged);
    }
    expect(await stored(path, 'ip|a|read|60', clock.now)).toBe(acknowledged);
    // And the other one can still write at once.
    other.exec("begin immediate; delete from counter_windows where key = 'x'; commit");
    other.close();
  });

  it('is unavailable after the deadline, with the event loop free meanwhile, and available again afterwards', async () => {
    const path = databasePath();
    let elapsed = 0;
    let turns = 0;
    const { store, database } = openStore(path, {
      busyDeadline: 2000,
      monotonic: () => elapsed,
      wait: async (milliseconds) => {
        expect(milliseconds).toBeLessThanOrEqual(20);
        elapsed += milliseconds;
        turns++;
        await turn();
      },
    });
    database.exec('pragma busy_timeout = 0');
    const other = openCounters(path);
    other.exec('begin immediate');
    const failure = await store.commit(0, [attempt('ip|a|read|60')]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(failure).toMatchObject({ cause: { code: 'SQLITE_BUSY' } });
    expect(turns).toBeGreaterThan(100);
    // Reading needs no lock.
    expect(await store.read([{ key: 'ip|a|read|60', window: { kind: 'sliding', seconds: 60 } }])).toMatchObject([
      { used: 0 },
    ]);
    await expect(store.ping()).rejects.toThrow(StoreUnavailable);
    expect(await store.sweep(100)).toBe(0);
    other.exec('commit');
    other.close();
    expect(await store.commit(0, [attempt('ip|a|read|60')])).toMatchObject({ verdicts: [{ admitted: true }] });
  });
});

describe('a medium that fails', () => {
  it('FULL: refuses without a trace, and works again once there is room', async () => {
    const path = databasePath();
    const { store, database, clock } = openStore(path);
    await store.commit(0, [attempt('ip|a|read|60')]);
    database.exec('pragma max_page_count = 1');
    const keys = Array.from({ length: 400 }, (_, i) => attempt(`ip|${i}|read|60`));
    await expect(store.commit(0, [attempt('ip|a|read|60'), ...keys])).rejects.toThrow(StoreUnavailable);
    expect(database.inTransaction).toBe(false);
    expect(await stored(path, 'ip|a|read|60', clock.now)).toBe(1);
    database.exec('pragma max_page_count = 1000000');
    await store.commit(0, [attempt('ip|a|read|60'), ...keys]);
    expect(await stored(path, 'ip|a|read|60', clock.now)).toBe(2);
  });

  it('READONLY: refuses what writes, and reads', async () => {
    const { store, database } = openStore();
    await store.commit(0, [attempt('ip|a|read|60')]);
    database.exec('pragma query_only = on');
    const failure = await store.commit(0, [attempt('ip|a|read|60')]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(failure).toMatchObject({ cause: { code: expect.stringMatching(/^SQLITE_READONLY/) } });
    expect(database.inTransaction).toBe(false);
    await expect(store.ping()).rejects.toThrow(StoreUnavailable);
    database.exec('pragma query_only = off');
    await store.ping();
    expect(await store.commit(0, [attempt('ip|a|read|60', 1)])).toMatchObject({ verdicts: [{ admitted: false }] });
  });

  it.skipIf(smallDiskIsMissing('integration/counters (full disk)'))(
    'a disk without room: neither counts nor answers a ping, and works again once there is room',
    async () => {
      const disk = new SmallDisk('4m');
      onTestFinished(() => disk[Symbol.dispose]());
      const { store, database } = openStore(join(disk.directory, 'sluice.db'));
      await store.commit(0, [attempt('ip|a|read|60')]);
      await store.ping();
      disk.fill();
      await expect(store.commit(0, [attempt('ip|a|read|60')])).rejects.toThrow(StoreUnavailable);
      await expect(store.ping()).rejects.toThrow(StoreUnavailable);
      expect(database.inTransaction).toBe(false);
      expect((await store.read([{ key: 'ip|a|read|60', window: { kind: 'sliding', seconds: 60 } }]))[0]?.used).toBe(1);
      disk.empty();
      await store.ping();
      await store.commit(0, [attempt('ip|a|read|60')]);
      database.close();
    },
  );

  it.skipIf(smallDiskIsMissing('integration/counters (full disk while folding)')).each([1, 3, 6, 9, 12, 14])(
    'a disk that is full after pause %i of a fold: nothing acknowledged is lost, and all goes on once there is room',
    async (pause) => {
      const disk = new SmallDisk('8m');
      onTestFinished(() => disk[Symbol.dispose]());
      const path = join(disk.directory, 'sluice.db');
      let pauses = 0;
      let isFull = false;
      const fill = () => {
        isFull = true;
        disk.fill();
      };
      const { store, database, clock } = openStore(path, {
        foldSizes: { step: 40, rows: 3 },
        wait: async () => {
          pauses += 1;
          if (pauses === pause) fill();
        },
      });
      // A checkpoint would make room in the log: what fails here fails at the first page that is written.
      database.exec('pragma wal_autocheckpoint = 0');
      const keys = Array.from({ length: 400 }, (_, index) => `ip|${index}|read|60`);
      const acknowledged = new Map(keys.map((key) => [key, 0]));
      /** @returns whether the store said that it has counted them */
      const count = async (some: readonly string[]) => {
        const commit = await store
          .commit(
            0,
            some.map((key) => attempt(key)),
          )
          .catch((error: unknown) => error);
        if (commit instanceof StoreUnavailable) return false;
        expect(commit).toMatchObject({ kind: 'decided' });
        for (const key of some) acknowledged.set(key, (acknowledged.get(key) ?? 0) + 1);
        return true;
      };
      /** What this process, and one that has just started, find counted. */
      const expectAcknowledged = async () => {
        const other = openCounters(path);
        for (const reader of [store, embeddedCounters(other, { clock: () => clock.now })]) {
          const window = { kind: 'sliding', seconds: 60 } as const;
          const found = await reader.read(keys.map((key) => ({ key, window })));
          expect(new Map(found.map(({ key, used }) => [key, used]))).toEqual(acknowledged);
        }
        other.close();
      };
      for (let group = 0; group < 40; group += 1)
        expect(await count(keys.filter((_, index) => index % 40 >= group % 20))).toBe(true);

      await expect(store.fold()).rejects.toThrow(StoreUnavailable);
      expect(isFull).toBe(true);
      expect(database.inTransaction).toBe(false);
      expect(await count(keys)).toBe(false);
      // A process that folds has its lease for five seconds, also one whose fold has failed.
      clock.now += 5_001;
      await expect(store.fold()).rejects.toThrow(StoreUnavailable);
      await expect(store.ping()).rejects.toThrow(StoreUnavailable);
      await expectAcknowledged();

      disk.empty();
      expect(await count(keys)).toBe(true);
      await store.ping();
      await store.fold();
      await expectAcknowledged();
      expect(database.prepare('select count(*) from counter_journal').raw().get()).toEqual([1]);
      expect(database.prepare('pragma integrity_check').raw().get()).toEqual(['ok']);
      expect(await count(keys)).toBe(true);
      await expectAcknowledged();
      database.close();
    },
  );

  it('CORRUPT: refuses, and leaves no transaction open', async () => {
    const path = await filled(500);
    overwrite(path, 1, 12, 0xa5);
    const { store, database } = openStore(path);
    const failure = await store.commit(0, [attempt('ip|77|read|60')]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(failure).toMatchObject({ cause: { code: 'SQLITE_CORRUPT' } });
    expect(database.inTransaction).toBe(false);
  });

  it('NOTADB: refuses from the first call on', async () => {
    const path = await filled(1);
    const database = new Libsql(path);
    overwrite(path, 0, 1, 0x20);
    const { store } = openStore(databasePath(), { database });
    const failure = await store.commit(0, [attempt('ip|0|read|60')]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(failure).toMatchObject({ cause: { code: 'SQLITE_NOTADB' } });
    await expect(store.ping()).rejects.toThrow(StoreUnavailable);
    database.close();
  });

  it('a table that is gone: refuses, and leaves no transaction open', async () => {
    const { store, database } = openStore();
    database.exec('drop table counter_windows');
    await expect(store.commit(0, [attempt('ip|a|read|60')])).rejects.toThrow(StoreUnavailable);
    await expect(store.ping()).rejects.toThrow(StoreUnavailable);
    await expect(store.sweep(10)).rejects.toThrow(StoreUnavailable);
    expect(database.inTransaction).toBe(false);
  });
});

/** A database file with so many counters, and everything in the file itself. */
async function filled(keys: number): Promise<string> {
  const path = databasePath();
  const { store, database } = openStore(path);
  await store.commit(
    0,
    Array.from({ length: keys }, (_, i) => attempt(`ip|${i}|read|60`)),
  );
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  return path;
}

function overwrite(path: string, from: number, until: number, byte: number): void {
  const file = openSync(path, 'r+');
  for (let page = from; page < until; page++) writeSync(file, Buffer.alloc(4096, byte), 0, 4096, page * 4096);
  closeSync(file);
}
