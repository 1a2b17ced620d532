import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../fixtures/free-port';
import { type Instances, startInstances } from '../../fixtures/instances';
import { ADMIN_TOKEN, type Product } from '../../fixtures/product';
import { partsAreMissing } from '../../fixtures/programs';
import { until } from '../../fixtures/until';
import { type Program, startProgram } from '../../world/gateways/processes';

const suite = 'two instances behind HAProxy';
const STANDALONE = '.next/standalone';
const MIGRATION = '9999_of_the_next_version';

/** Clients that ask through the balancer, one request after the other, until they are told to stop. */
class Load {
  /** Every answer that was not 200, and every request without one. */
  readonly faults: string[] = [];
  answers = 0;
  allowed = 0;
  #isRunning = true;
  readonly #clients: Promise<void>[];

  /** @param origin of the balancer @param clients every second one opens a connection for each request */
  constructor(origin: string, clients: number) {
    const body = JSON.stringify({ class: 'read', user_id: 'load' });
    const headers = { 'X-Admin-Token': ADMIN_TOKEN, 'Content-Type': 'application/json' };
    const ask = async (connection: Record<string, string>) => {
      while (this.#isRunning) {
        try {
          const init = { method: 'POST', body, headers: { ...headers, ...connection } };
          const response = await fetch(`${origin}/v1/check`, init);
          const text = await response.text();
          if (response.status === 200) this.#count(JSON.parse(text) as { allowed: boolean });
          else this.faults.push(`${response.status} ${text}`);
        } catch (error) {
          this.faults.push(String((error as Error).cause ?? error));
        }
        // Enough of them to notice, and no more: the instances need the processor too.
        await wait(5);
      }
    };
    this.#clients = Array.from({ length: clients }, (_, index) => ask(index % 2 === 0 ? {} : { Connection: 'close' }));
  }

  #count({ allowed }: { allowed: boolean }): void {
    this.answers += 1;
    if (allowed) this.allowed += 1;
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#clients);
  }
}

describe.skipIf(partsAreMissing(suite, 'haproxy', 'redis', 'sqld'))(suite, () => {
  let directory: string;
  let instances: Instances;
  let balancer: Program;
  let origin: string;
  let next: string;
  const ports: Record<string, number> = {};
  const running: Record<string, Product> = {};

  const start = async (name: string, folder = STANDALONE) => {
    const command = [process.execPath, '--max-semi-space-size=32', join(folder, 'server.mjs')] as const;
    const env = { PORT: String(ports[name]), SLUICE_DRAIN_SECONDS: '1.5' };
    const product = await instances.join(env, { command, cwd: process.cwd() });
    running[name] = product;
  };

  /** What HAProxy says of an instance: UP, DOWN and what is between; nothing yet while it starts. */
  const stateOf = (name: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(join(directory, 'haproxy.sock'));
      let text = '';
      socket.on('error', () => resolve(''));
      socket.on('data', (data) => {
        text += String(data);
      });
      socket.on('end', () => {
        const [head = '', ...rows] = text.split('\n').map((line) => line.split(','));
        const row = rows.find(([proxy, server]) => proxy === 'sluice' && server === name);
        resolve(row?.[head.indexOf('status')] ?? '');
      });
      socket.write('show stat\n');
    });

  /** Stops one instance and starts another version in its place, as docs/several-instances.md says. */
  const replace = async (name: string, folder?: string) => {
    expect(await running[name]?.stop()).toBe(0);
    await start(name, folder);
    await until(async () => (await stateOf(name)) === 'UP');
  };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-rolling-'));
    for (const name of ['one', 'two', 'balancer']) ports[name] = await freePort();
    origin = `http://127.0.0.1:${ports.balancer}`;
    instances = await startInstances({ count: 0, shared: 'sqld and Redis' });
    await Promise.all([start('one'), start('two')]);
    balancer = await startBalancer();
    await until(async () => (await stateOf('one')) === 'UP' && (await stateOf('two')) === 'UP');
    next = nextVersion();
  });
  afterAll(async () => {
    await balancer?.stop();
    await instances?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The very file of the documentation, with the addresses of this test and checks that are as much faster as the drain is shorter. */
  function startBalancer(): Promise<Program> {
    const replacements: Record<string, string> = {
      'bind :8000': `bind 127.0.0.1:${ports.balancer}`,
      ' one:3000': ` 127.0.0.1:${ports.one}`,
      ' two:3000': ` 127.0.0.1:${ports.two}`,
      'inter 1s': 'inter 300ms',
      'log stderr format raw local0 notice': `stats socket ${join(directory, 'haproxy.sock')} mode 600`,
    };
    let text = readFileSync('deploy/haproxy.cfg', 'utf8');
    for (const [from, to] of Object.entries(replacements)) {
      expect(text).toContain(from);
      text = text.replace(from, to);
    }
    const file = join(directory, 'haproxy.cfg');
    writeFileSync(file, text);
    return startProgram('haproxy', ['-db', '-f', file], { port: ports.balancer ?? 0 });
  }

  /** The product with one more migration. */
  function nextVersion(): string {
    const folder = join(directory, 'next');
    cpSync(STANDALONE, folder, { recursive: true });
    const journal = join(folder, 'drizzle/meta/_journal.json');
    const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8')) as { entries: object[] };
    writeFileSync(journal, JSON.stringify({ ...rest, entries: [...entries, { tag: MIGRATION }] }));
    writeFileSync(join(folder, 'drizzle', `${MIGRATION}.sql`), 'CREATE TABLE of_the_next_version (id integer);');
    return folder;
  }

  it('are replaced by a version with a newer schema, one after the other, and no request is lost', async () => {
    const load = new Load(origin, 6);
    await until(() => load.answers > 50);
    await replace('one', next);
    await replace('two', next);
    const before = load.answers;
    await until(() => load.answers > before + 50);
    await load.stop();
    expect(load.faults).toEqual([]);
    // Counted in one place: of 5,000 an hour, none too many and none too few.
    expect(load.allowed).toBe(Math.min(5_000, load.answers));
  });

  it('go on when one is rolled back to a version that does not know the schema, which says so and ends', async () => {
    const load = new Load(origin, 6);
    await running.two?.stop();
    await expect(start('two')).rejects.toThrow(/a newer version has written it/);
    const before = load.answers;
    await until(() => load.answers > before + 50);
    await start('two', next);
    await until(async () => (await stateOf('two')) === 'UP');
    await load.stop();
    expect(load.faults).toEqual([]);
  });

  it('does not let one join with another AUTH_SECRET', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(next, 'server.mjs')], {
      env: { ...instances.common, PORT: '0', AUTH_SECRET: 'a secret that no instance of this suite knows' } as never,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^AUTH_SECRET is not the secret that this database/m)]);
  });
});
