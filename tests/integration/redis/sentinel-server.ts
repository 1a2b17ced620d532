import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../fixtures/free-port';
import { until } from '../../fixtures/redis-server';

/** One sentinel that is enough by itself to elect a new master. */
export class SentinelServer {
  private constructor(
    readonly port: number,
    private readonly directory: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(masterPort: number): Promise<SentinelServer> {
    const port = await freePort();
    const directory = mkdtempSync(join(tmpdir(), 'sluice-sentinel-'));
    const file = join(directory, 'sentinel.conf');
    writeFileSync(
      file,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${directory}`,
        `sentinel monitor mymaster 127.0.0.1 ${masterPort} 1`,
        // Longer than a busy machine may keep a master that is there from answering.
        'sentinel down-after-milliseconds mymaster 3000',
        'sentinel failover-timeout mymaster 3000',
        '',
      ].join('\n'),
    );
    const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
    const server = new SentinelServer(port, directory, child);
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

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const ended = new Promise((resolve) => this.child.once('exit', resolve));
      this.child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}
