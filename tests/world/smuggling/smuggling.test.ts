import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../fixtures/free-port';
import { type Product, startProduct } from '../../fixtures/product';
import { partsAreMissing } from '../../fixtures/programs';
import { type Program, startProgram } from '../gateways/processes';
import { type Counted, strikeAll, type Target } from './attack';
import { type Attack, corpus, pairs, ROUTE_RULES } from './corpus';
import { type StrictUpstream, startStrictUpstream } from './strict-upstream';

/**
 * One counted decision is exactly one request at the upstream, with exactly the decided method and path, and no answer
 * ever reaches another connection: whatever bytes come, straight or through other servers, before Sluice or behind it.
 */
const attacks = corpus();

const NO_LIMIT = { ip: { limit: 1_000_000 } };
const POLICIES = JSON.stringify({ classes: { auth: NO_LIMIT, read: NO_LIMIT, sensitive: NO_LIMIT, write: NO_LIMIT } });

/** Ids of attacks never repeat: each has an address of its own. */
let nextId = 0;

async function strikeWith(target: Target, list: readonly Attack[]): Promise<string[]> {
  const first = nextId;
  nextId += list.length;
  return strikeAll(target, list, first);
}

/** The product with `ROUTE_RULES` and no limits, before an upstream. */
async function start(upstreamPort: number): Promise<Product> {
  const product = await startProduct({
    env: {
      SLUICE_UPSTREAM: `http://127.0.0.1:${upstreamPort}`,
      SLUICE_TRUSTED_PROXIES: '127.0.0.1',
      SLUICE_POLICIES: POLICIES,
    },
  });
  const answer = await product.admin('PUT', '/v1/admin/route-rules', ROUTE_RULES);
  if (!answer.ok) throw new Error(await answer.text());
  return product;
}

async function countedBy(product: Product, address: string): Promise<Counted> {
  const answer = await product.admin('GET', `/v1/admin/rate-limit/counters?type=ip&identifier=${address}`);
  const { counters } = (await answer.json()) as { counters: { class: keyof Counted; used: number }[] };
  const counted: Counted = { read: 0, write: 0, sensitive: 0, auth: 0 };
  for (const { class: name, used } of counters) counted[name] = used;
  return counted;
}

describe('the corpus', () => {
  it('has at least 200 requests, every one different', () => {
    expect(new Set(attacks.map(({ bytes }) => bytes)).size).toBeGreaterThanOrEqual(200);
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
  });
});

describe('straight to Sluice', () => {
  let upstream: StrictUpstream;
  let product: Product;
  let target: Target;

  beforeAll(async () => {
    upstream = await startStrictUpstream();
    product = await start(upstream.port);
    target = { port: product.port, upstream, counted: (address) => countedBy(product, address), exact: true };
  });
  afterAll(async () => {
    await product?.stop();
    await upstream?.close();
  });

  it('every attack by itself', async () => {
    expect(await strikeWith(target, attacks)).toEqual([]);
  });

  it('every attack before and behind others on one connection', async () => {
    expect(await strikeWith(target, pairs(attacks, 2))).toEqual([]);
  });

  it('shares connections to the upstream, so that a poisoned one would show', () => {
    expect(upstream.connections()).toBeLessThan(upstream.seen.length / 2);
  });

  it('leaves nothing in the log but what happened', () => {
    expect(product.output()).not.toMatch(/MaxListenersExceeded|Unhandled|"level":"error"|Error:/);
  });
});

for (const server of ['nginx', 'haproxy'] as const) {
  describe.skipIf(partsAreMissing(`smuggling/${server}`, server))(server, () => {
    const directory = mkdtempSync(join(tmpdir(), `sluice-smuggling-${server}-`));
    let upstream: StrictUpstream;
    const running: { stop(): Promise<unknown> }[] = [];

    beforeAll(async () => {
      upstream = await startStrictUpstream();
    });
    afterAll(async () => {
      for (const program of running) await program.stop();
      await upstream?.close();
      rmSync(directory, { recursive: true, force: true });
    });

    it('before Sluice', async () => {
      const product = await start(upstream.port);
      running.push(product);
      const port = await freePort();
      running.unshift(await startServer(server, port, product.port, join(directory, 'before')));
      const counted = (address: string) => countedBy(product, address);
      expect(await strikeWith({ port, upstream, counted, exact: false }, attacks)).toEqual([]);
    });

    it('behind Sluice', async () => {
      const port = await freePort();
      running.push(await startServer(server, port, upstream.port, join(directory, 'behind')));
      const product = await start(port);
      running.unshift(product);
      const counted = (address: string) => countedBy(product, address);
      expect(await strikeWith({ port: product.port, upstream, counted, exact: false }, attacks)).toEqual([]);
    });
  });
}

/** A plain reverse proxy that keeps its connections, as Debian's packages make it. */
async function startServer(server: 'nginx' | 'haproxy', port: number, to: number, directory: string): Promise<Program> {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'config');
  if (server === 'haproxy') {
    writeFileSync(
      file,
      `defaults
  mode http
  timeout connect 5s
  timeout client 20s
  timeout server 20s
  http-reuse always
frontend front
  bind 127.0.0.1:${port}
  option forwardfor
  default_backend back
backend back
  server one 127.0.0.1:${to}
`,
    );
    return startProgram('haproxy', ['-db', '-f', file], { port });
  }
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  writeFileSync(
    file,
    `events {}
http {
  access_log off;
  ${paths.join('\n  ')}
  upstream back { server 127.0.0.1:${to}; keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://back;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_request_buffering off;
      proxy_buffering off;
    }
  }
}
`,
  );
  const globals = `daemon off; error_log /dev/null; pid ${directory}/pid;`;
  return startProgram('nginx', ['-p', directory, '-c', file, '-g', globals], { port });
}
