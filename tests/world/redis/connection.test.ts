import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RedisConnection } from '@/lib/counters/redis/connection';
import { RedisUnsupported } from '@/lib/counters/redis/faults';
import { StoreUnavailable } from '@/lib/counters/store';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { until } from '../../fixtures/until';

const ECHO = 'return {KEYS[1], ARGV[1]}';

describe.skipIf(redisIsMissing('integration/redis (connection)'))('a connection to Redis', () => {
  let server: RedisServer;
  const lines: string[] = [];
  const log = (detail: unknown, line?: string) => lines.push(line ?? String(detail));

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());
  afterEach(() => {
    lines.length = 0;
  });

  async function connect(commandTimeout = 60_000): Promise<RedisConnection> {
    const connection = new RedisConnection({
      url: server.url,
      logger: { info: log, warn: log, error: log },
      commandTimeout,
    });
    onTestFinished(() => connection.close());
    expect(await connection.open()).toBe(true);
    return connection;
  }

  it('names itself, sends texts as they are, and reads texts and numbers', async () => {
    const connection = await connect();
    expect(await connection.run(ECHO, ['k é'], ['v "1"'])).toEqual(['k é', 'v "1"']);
    expect(await connection.run('return 7', [], [])).toBe(7);
    expect(await server.admin.client('LIST')).toContain('name=sluice');
  });

  it('sends the text of a script once, then its hash', async () => {
    const connection = await connect();
    await server.admin.config('RESETSTAT');
    for (let i = 0; i < 5; i += 1) await connection.run("return 'only here'", [], []);
    const stats = await server.admin.info('commandstats');
    expect(stats).toMatch(/cmdstat_eval:calls=1,/);
    expect(stats).toMatch(/cmdstat_evalsha:calls=5,/);
  });

  it('waits as long as its command timeout says, and no less', async () => {
    const connection = await connect();
    await server.admin.client('PAUSE', 300, 'ALL');
    expect(await connection.run('return 1', [], [])).toBe(1);
  });

  it('says what the server refused, without what was sent', async () => {
    const connection = await connect();
    await server.admin.lpush('a list', 'secret');
    const fault: unknown = await connection.runCommand('get', ['a list']).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(StoreUnavailable);
    expect(fault).toMatchObject({ message: 'Redis refused a command.' });
    expect(JSON.stringify(Object.getOwnPropertyNames((fault as Error).cause))).not.toContain('command');
  });

  it('says once that the server is down and once that it is back, and counts its connections', async () => {
    const connection = await connect();
    expect(connection.generation).toBe(1);
    await server.kill();
    await until(() => lines.length > 0);
    await expect(connection.runCommand('ping', [])).rejects.toThrow('Redis is down.');
    await server.start();
    await until(() => connection.generation === 2);
    expect(await connection.runCommand('ping', [])).toBe('PONG');
    expect(lines).toEqual(['the counter store is down', 'the counter store is back']);
  });

  it('follows an address that leads to a cluster, and back to a single server', async () => {
    const first = await RedisServer.start({ port: 'free' });
    onTestFinished(() => first.stop());
    const connection = new RedisConnection({
      url: first.url,
      logger: { info: log, warn: log, error: log },
      commandTimeout: 60_000,
    });
    onTestFinished(() => connection.close());
    const answers = () =>
      connection.runCommand('set', ['sluice:{c}ping', '1']).then(
        (reply) => reply === 'OK',
        () => false,
      );
    expect(await connection.open()).toBe(true);
    expect(connection.isCluster).toBe(false);
    await first.kill();
    const cluster = await RedisServer.start({ port: first.port ?? 0, cluster: true });
    await cluster.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until(answers);
    expect(connection.isCluster).toBe(true);
    expect(lines.filter((line) => line.includes('one shard serves all counters'))).toHaveLength(1);
    await cluster.stop();
    await first.start();
    await until(answers);
    expect(connection.isCluster).toBe(false);
  });

  it('refuses a database that no cluster has', async () => {
    const cluster = await RedisServer.start({ port: 'free', cluster: true });
    onTestFinished(() => cluster.stop());
    await cluster.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    const other = new RedisConnection({ url: `${cluster.url}?db=3`, logger: { info: log, warn: log, error: log } });
    await expect(other.open()).rejects.toThrow(RedisUnsupported);
  });

  it('is silent and dead once it is closed', async () => {
    const connection = await connect();
    connection.close();
    await expect(connection.runCommand('ping', [])).rejects.toThrow(StoreUnavailable);
    await until(async () => !String(await server.admin.client('LIST')).includes('name=sluice'));
    expect(lines).toEqual([]);
  });
});
