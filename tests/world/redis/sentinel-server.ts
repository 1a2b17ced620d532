import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../fixtures/free-port';
import { ServerProcess } from '../../fixtures/server-process';
import { until } from '../../fixtures/until';

/** One sentinel that is enough by itself to elect a new master. */
export class SentinelServer extends ServerProcess {
  private constructor(readonly port: number) {
    super('sentinel');
  }

  static async start(masterPort: number): Promise<SentinelServer> {
    const port = await freePort();
    const server = new SentinelServer(port);
    const file = join(server.directory, 'sentinel.conf');
    writeFileSync(
      file,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${server.directory}`,
        `sentinel monitor mymaster 127.0.0.1 ${masterPort} 1`,
        // Longer than a busy machine may keep a master that is there from answering.
        'sentinel down-after-milliseconds mymaster 3000',
        'sentinel failover-timeout mymaster 3000',
        '',
      ].join('\n'),
    );
    server.spawn('redis-server', [file, '--sentinel']);
    const admin = new Redis(port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null });
    admin.on('error', () => undefined);
    // It hears of the replica from the master.
    await until(async () => {
      const replicas = await admin.call('SENTINEL', 'replicas', 'mymaster');
      return Array.isArray(replicas) && replicas.length === 1;
    });
    admin.disconnect();
    return server;
  }

  /** Whether somebody hears of its failovers. */
  async hasListener(): Promise<boolean> {
    const admin = new Redis(this.port, '127.0.0.1', { maxRetriesPerRequest: 1 });
    const clients = String(await admin.call('CLIENT', 'LIST'));
    admin.disconnect();
    return / sub=1 /.test(clients);
  }

  /** What it knows of the master, for whom a failover puzzles. */
  async view(): Promise<string> {
    const admin = new Redis(this.port, '127.0.0.1', { maxRetriesPerRequest: 1 });
    admin.on('error', () => undefined);
    const [master, replicas] = await Promise.all(
      ['master', 'replicas'].map((what) => admin.call('SENTINEL', what, 'mymaster')),
    ).catch((error: unknown) => [String(error), null]);
    admin.disconnect();
    return JSON.stringify({ master, replicas });
  }
}
