import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import { freePort } from '../../fixtures/free-port';
import { partsAreMissing } from '../../fixtures/programs';
import { RedisServer } from '../../fixtures/redis-server';
import { until } from '../../fixtures/until';
import type { Order } from './admit-process';

describe.skipIf(partsAreMissing('integration/redis (tls)', 'redis', 'openssl'))('a Redis that speaks TLS only', () => {
  /** A server whose certificate nobody knows but who is told of it. */
  async function start(names = 'IP:127.0.0.1', cluster = false): Promise<{ certificate: string; port: number }> {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names}`];
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const made = spawnSync('openssl', [...kind, ...subject, '-keyout', key, '-out', certificate]);
    expect(made.status).toBe(0);
    const port = await freePort();
    const tls = ['--tls-port', String(port), '--tls-auth-clients', 'no', '--tls-cert-file', certificate];
    const node = cluster ? ['--tls-cluster', 'yes', '--tls-ca-cert-file', certificate] : [];
    const server = await RedisServer.start({ cluster, args: [...tls, '--tls-key-file', key, ...node] });
    onTestFinished(() => server.stop());
    if (cluster) {
      await server.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      await until(async () => String(await server.admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    }
    return { certificate, port };
  }

  /** How many of 60 a process admits under a limit of 25; null when it cannot decide. */
  async function admitted(port: number, env: Record<string, string>, host = '127.0.0.1'): Promise<number | null> {
    const script = await bundle('tests/world/redis/admit-process.ts');
    const child = fork(script, [`rediss://${host}:${port}`], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'message');
    const order: Order = { keys: ['ip|tls|read|3600'], limit: 25, demand: 60 };
    const answer = Promise.race([once(child, 'message'), once(child, 'exit').then(() => [null])]);
    child.send(order);
    const [told] = await answer;
    return told?.admitted ?? null;
  }

  it('is used with the authority that NODE_EXTRA_CA_CERTS names, and not without', async () => {
    const { certificate, port } = await start();
    expect(await admitted(port, {})).toBeNull();
    expect(await admitted(port, { NODE_EXTRA_CA_CERTS: certificate })).toBe(25);
  });

  it('may be a cluster, whose nodes have a certificate for the endpoint alone, or for each', async () => {
    // The node announces itself as 127.0.0.1.
    const { certificate, port } = await start('DNS:localhost', true);
    const env = { NODE_EXTRA_CA_CERTS: certificate };
    expect(await admitted(port, env, 'localhost')).toBe(25);
    expect(await admitted(port, env, '127.0.0.1')).toBeNull();
    expect(await admitted(port, {}, 'localhost')).toBeNull();
  });
});
