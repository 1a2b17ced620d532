import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RedisCounters } from '@/lib/counters/redis/store';
import { type Commit, StoreUnavailable } from '@/lib/counters/store';
import type { Attempt } from '@/lib/limiter/meter';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { until } from '../../fixtures/until';

const HOUR = { kind: 'sliding', seconds: 3600 } as const;

function ask(key: string, limit = 1_000): Attempt {
  return { meters: [{ subject: 'ip', key: `ip|${key}|read|3600`, limit, window: HOUR }], cost: 1 };
}

/** What the store tells the operator. */
class Diary {
  readonly lines: string[] = [];
  /** What was written beside the lines, as a logger would see it. */
  readonly details: unknown[] = [];
  readonly info = (detail: unknown, line?: string) => {
    this.details.push(detail);
    this.lines.push(line ?? String(detail));
  };
  readonly warn = this.info;
  readonly error = this.info;
}

describe.skipIf(redisIsMissing('integration/redis (faults)'))('a Redis that fails', () => {
  let server: RedisServer;
  let diary: Diary;
  /** The newest audit record in the database. */
  let newestRevision: number;

  beforeEach(async () => {
    server = await RedisServer.start();
    diary = new Diary();
    newestRevision = 0;
  });
  afterEach(() => server.stop());

  /** @param commandTimeout so long that no busy machine reaches it; the product's where a test waits for it */
  async function open(url = server.url, commandTimeout = 60_000): Promise<RedisCounters> {
    const store = await RedisCounters.open({
      url,
      logger: diary,
      clock: () => Date.now(),
      newestRevision: async () => newestRevision,
      installation: 'test',
      commandTimeout,
    });
    onTestFinished(() => store.close());
    return store;
  }

  const decided = (commit: Commit) =>
    commit.kind === 'decided' ? commit.verdicts.map(({ admitted }) => admitted) : commit;
  const works = (store: RedisCounters) => async () => {
    return store.commit(newestRevision, [ask('probe')]).then(
      () => true,
      () => false,
    );
  };

  /** The fault that a call ends in. */
  async function fault(call: Promise<unknown>): Promise<Error> {
    const error = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StoreUnavailable);
    return error as Error;
  }

  it('has forgotten its scripts: nobody notices', async () => {
    const store = await open();
    await store.commit(0, [ask('a')]);
    for (let i = 0; i < 5; i += 1) {
      await server.admin.script('FLUSH');
      const answers = await Promise.all([1, 2, 3].map(() => store.commit(0, [ask('a')])));
      expect(answers.map(decided)).toEqual([[true], [true], [true]]);
    }
    expect((await store.read([{ key: 'ip|a|read|3600', window: HOUR }]))[0]?.used).toBe(16);
  });

  it('hangs: calls end in time, and work again when it resumes', async () => {
    const store = await open(server.url, 250);
    await until(works(store));
    server.hang();
    const error = await fault(store.commit(0, [ask('a')]));
    server.proceed();
    expect(error.message).toBe('Redis did not answer in time.');
    await until(works(store));
  });

  it('hangs for long: the connection is given up, and made again when it resumes', async () => {
    const store = await open(server.url, 250);
    await until(works(store));
    server.hang();
    await fault(store.commit(0, [ask('a')]));
    await until(() => diary.lines.includes('the counter store is down'));
    expect((await fault(store.commit(0, [ask('a')]))).message).toBe('Redis is down.');
    server.proceed();
    await until(works(store));
    expect(diary.lines.at(-1)).toBe('the counter store is back');
  });

  it('is paused for clients: calls end in time', async () => {
    const store = await open(server.url, 250);
    await until(works(store));
    // Scripts that write are paused, so that it can be told to go on.
    await server.admin.client('PAUSE', 600_000, 'WRITE');
    await fault(store.commit(0, [ask('a')]));
    await server.admin.client('UNPAUSE');
    await until(works(store));
  });

  it('is not there at the start: the store opens, fails at once, and works when Redis comes', async () => {
    await server.kill();
    const store = await open();
    for (const call of [() => store.commit(0, [ask('a')]), () => store.ping()]) {
      expect((await fault(call())).message, 'nothing was waited for').not.toMatch(/in time/);
    }
    await server.start();
    await until(works(store));
  });

  it('is killed in the middle of a load: every call comes to an end, and new ones work after its restart', async () => {
    const store = await open();
    const outcomes = { decided: 0, unavailable: 0 };
    let stopped = false;
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!stopped) {
          await store.commit(newestRevision, [ask('load', 1e9)]).then(
            () => {
              outcomes.decided += 1;
            },
            async (error: unknown) => {
              expect(error).toBeInstanceOf(StoreUnavailable);
              outcomes.unavailable += 1;
              await new Promise((resolve) => setTimeout(resolve, 5));
            },
          );
        }
      }),
    );
    await until(() => outcomes.decided > 200);
    await server.kill();
    await until(() => outcomes.unavailable > 50);
    const before = outcomes.decided;
    await server.start();
    await until(() => outcomes.decided > before + 200);
    stopped = true;
    await load;
  });

  it('has lost its data: no instance keeps using rules that are older than the database', async () => {
    const [first, second] = [await open(), await open()];
    await first.commit(0, [ask('a')]);
    await second.commit(0, [ask('a')]);
    newestRevision = 5;
    await first.publish(5);
    await server.kill();
    await server.start();
    await until(works(first));
    expect(await second.commit(0, [ask('a')])).toEqual({ kind: 'stale', revision: 5 });
    expect(decided(await second.commit(5, [ask('a')]))).toEqual([true]);
  });

  it('has lost the revision alone: it is read from the database again', async () => {
    const store = await open();
    await store.commit(0, [ask('a')]);
    newestRevision = 7;
    await server.admin.flushall();
    expect(await store.commit(0, [ask('a')])).toEqual({ kind: 'stale', revision: 7 });
    expect(decided(await store.commit(7, [ask('a')]))).toEqual([true]);
  });

  it('is behind, as a replica that took over can be: the revision is compared with the database after each connection', async () => {
    const store = await open();
    await store.commit(0, [ask('a')]);
    newestRevision = 9; // Published to a master that is no more.
    await server.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await until(async () => (await store.commit(0, [ask('a')]).catch(() => null))?.kind === 'stale');
  });

  it('cannot decide while it has lost the revision and the database is down', async () => {
    const store = await RedisCounters.open({
      url: server.url,
      logger: diary,
      clock: () => Date.now(),
      newestRevision: () => Promise.reject(new Error('down')),
      installation: 'test',
    });
    onTestFinished(() => store.close());
    await fault(store.commit(0, [ask('a')]));
  });

  it('is full: nothing of a group is counted, and reading and clearing go on', async () => {
    const store = await open();
    await store.commit(0, [ask('old')]);
    await server.admin.config('SET', 'maxmemory', '1');
    await server.admin.config('SET', 'maxmemory-policy', 'noeviction');
    const error = await fault(store.commit(0, [ask('old'), ask('new')]));
    expect(error.message).toBe('Redis has no memory left (maxmemory).');
    expect((await fault(store.ping())).message).toBe('Redis has no memory left (maxmemory).');
    expect((await store.read([ask('old').meters[0]!, ask('new').meters[0]!])).map(({ used }) => used)).toEqual([1, 0]);
    const change = store.clear({ prefix: 'ip|' });
    if (change.kind === 'action') await change.run();
    expect(await store.listKeys('ip|', 10)).toEqual([]);
    await server.admin.config('SET', 'maxmemory', '0');
    await store.ping();
    expect(await server.admin.pttl('sluice:{c}ping')).toBeGreaterThan(0);
    expect(decided(await store.commit(0, [ask('old', 1)]))).toEqual([true]);
  });

  it('became a replica: nothing is decided by its data, not even a refusal', async () => {
    const store = await open();
    await store.commit(0, [ask('a', 1)]);
    await server.admin.replicaof('127.0.0.1', '1');
    const error = await fault(store.commit(0, [ask('a', 1)]));
    expect(error.message).toBe('Redis is a replica and cannot be written.');
    await until(async () => {
      const pinged = await fault(store.ping());
      return pinged.message === 'Redis is a replica and cannot be written.';
    });
    await server.admin.replicaof('NO', 'ONE');
    await until(works(store));
  });

  it('cannot save, and writes nothing until it can: neither counts nor answers a ping', async () => {
    const store = await open();
    await store.ping();
    // A snapshot that cannot be written stops writes, as on a full disk.
    await server.admin.config('SET', 'save', '1 1');
    mkdirSync(join(server.directory, 'dump.rdb'));
    await server.admin.bgsave();
    await until(async () => (await server.admin.info('persistence')).includes('rdb_last_bgsave_status:err'));
    expect((await fault(store.ping())).message).toBe('Redis does not write while it cannot save.');
    expect((await fault(store.commit(0, [ask('a')]))).message).toBe('Redis does not write while it cannot save.');
    await server.admin.config('SET', 'save', '');
    await store.ping();
  });

  it('does not know the password: calls fail, and the password is in no log and no error', async () => {
    await server.admin.config('SET', 'requirepass', 'right');
    const store = await open(`unix://:hunter2@localhost${server.url}`);
    const error = await fault(store.commit(0, [ask('a')]));
    await until(() => diary.lines.includes('the counter store is down'));
    expect(inspect([diary.details, error], { depth: 10, showHidden: true })).not.toContain('hunter2');
  });

  it('counts with TIME of its own, whatever the clock of this machine says', async () => {
    const store = await RedisCounters.open({
      url: server.url,
      logger: diary,
      clock: () => 0,
      newestRevision: async () => 0,
      installation: 'test',
    });
    onTestFinished(() => store.close());
    const [before] = await server.admin.time();
    const commit = await store.commit(0, [ask('a')]);
    const [after] = await server.admin.time();
    expect(commit.kind === 'decided' && Math.floor(commit.now / 1000)).toBeGreaterThanOrEqual(Number(before));
    expect(commit.kind === 'decided' && Math.floor(commit.now / 1000)).toBeLessThanOrEqual(Number(after));
  });
});

describe.skipIf(redisIsMissing('integration/redis (loading)'))('a Redis that is loading its data', () => {
  it('counts as not there until it is loaded, and then goes on from what it had counted', async () => {
    const server = await RedisServer.start({ args: ['--enable-debug-command', 'yes'] });
    onTestFinished(() => server.stop());
    const url = server.url;
    const store = await RedisCounters.open({
      url,
      logger: new Diary(),
      clock: () => Date.now(),
      newestRevision: async () => 0,
      installation: 'test',
    });
    onTestFinished(() => store.close());
    await store.commit(0, [ask('a', 2), ask('a', 2)]);
    const filler = server.admin.pipeline();
    for (let i = 0; i < 1_000; i += 1) filler.set(`filler:${i}`, 'x'.repeat(1_100));
    await filler.exec();
    // So slow that it takes a second, and it answers its clients meanwhile.
    await server.admin.config('SET', 'key-load-delay', '1000');
    await server.admin.config('SET', 'loading-process-events-interval-bytes', '1024');
    const told = new Set<string>();
    // Again where the machine was too busy to ask meanwhile.
    while (!told.has('Redis is still loading its data.')) {
      let loaded = false;
      const reload = server.admin.call('DEBUG', 'RELOAD').then(() => {
        loaded = true;
      });
      while (!loaded) {
        await store.commit(0, [ask('b')]).catch((error: Error) => {
          expect(error).toBeInstanceOf(StoreUnavailable);
          told.add(error.message);
        });
      }
      await reload;
    }
    const commit = await store.commit(0, [ask('a', 2)]);
    expect(commit.kind === 'decided' ? commit.verdicts[0]?.admitted : commit).toBe(false);
  });
});
