import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTH_SECRET_FILE } from '@/lib/auth/auth-secret';
import { freePort } from '../../fixtures/free-port';
import { listen } from '../../fixtures/listen';
import { OWNER_EMAIL, OWNER_PASSWORD, type Product, startProduct } from '../../fixtures/product';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { until } from '../../fixtures/until';

const page = readFileSync('docs/troubleshooting.md', 'utf8');
/** What the page quotes of the product. */
const quoted = {
  atStart: [...page.matchAll(/^\| `([^|`]+)`.*? \|/gm)].map(([, line = '']) => line),
  running: [...page.matchAll(/^\| [^`|][^|]* \| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => (/ /.test(code) ? [code] : [])),
  ),
};
const provoked = new Set<string>();

/** The line that begins so, as a pattern: an ellipsis stands for anything. */
function lineOf(lines: readonly string[], beginning: string): RegExp {
  const line = lines.find((candidate) => candidate === beginning) ?? lines.find((one) => one.startsWith(beginning));
  if (line === undefined) throw new Error(`The page quotes no line that begins with ${beginning}.`);
  provoked.add(line);
  const parts = line.split('…').map((part) => part.replaceAll(/[.?+*()[\]\\$^{}|]/g, '\\$&'));
  return new RegExp(parts.join('.+'));
}

const made: string[] = [];
function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-troubles-'));
  made.push(path);
  return path;
}
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** What a start prints that fails. */
function failingStart(at: string, env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, ['server.mjs'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: `file:${join(at, 'sluice.db')}`,
      ...env,
    } as unknown as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (data) => {
    output += String(data);
  });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code === 1 ? output : `Exit code ${code}`)));
}

describe.skipIf(redisIsMissing('api/start (troubleshooting)'))('docs/troubleshooting.md quotes', () => {
  let first: Product;
  let product: Product;
  let redis: RedisServer;
  const file = () => join(first.directory, 'sluice.db');

  /** Changes the file behind the product's back. */
  function inFile(sql: string, ...values: string[]): void {
    const database = new Libsql(file());
    database.prepare(sql).run(...values);
    database.close();
  }

  beforeAll(async () => {
    redis = await RedisServer.start();
    first = await startProduct({ directory: directory() });
    const rule = { method: '*', path: '/a/*', class: 'read' };
    expect((await first.admin('PUT', '/v1/admin/route-rules', [rule])).status).toBe(200);
    const entry = { type: 'ip', identifier: '192.0.2.1', reason: 'A row to damage' };
    expect((await first.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(200);
    await first.stop();
    inFile("update allowlist set expires_at = 'never'");
    inFile("update settings set value = replace(value, '/a/*', '/a(') where name = 'route-rules'");
    inFile(
      'insert into second_factors (member_id, secret, created_at, confirmed_at, last_step) select id, ?, 0, 0, 0 from members',
      'sealed under another secret',
    );
    const closed = `http://127.0.0.1:${await freePort()}`;
    product = await startProduct({
      directory: first.directory,
      env: {
        REDIS_URL: redis.url,
        SLUICE_UPSTREAM: closed,
        SLUICE_UPSTREM: closed,
        OIDC_ISSUER: closed,
        OIDC_CLIENT_ID: 'sluice',
        OIDC_CLIENT_SECRET: 'a-secret-of-the-client',
        OTEL_EXPORTER_OTLP_ENDPOINT: closed,
        OTEL_EXPORTER_OTLP_TIMEOUT: '200',
        OTEL_BSP_SCHEDULE_DELAY: '50',
        SLUICE_LOG_LEVEL: 'info',
      },
    });
  });
  afterAll(async () => {
    await product?.stop();
    await redis?.stop();
  });

  /** The lines of the log with this message. */
  const logged = (pattern: RegExp) =>
    product
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { message: string; err?: unknown })
      .filter(({ message }) => new RegExp(`^${pattern.source}$`).test(message));
  const isLogged = async (beginning: string) => {
    const pattern = lineOf(quoted.running, beginning);
    await until(() => logged(pattern).length > 0);
    return logged(pattern)[0];
  };

  it('what a start says that fails', async () => {
    const other = createServer();
    const port = String(await listen(other));
    const [newer, damaged, lost, empty, foreign] = [directory(), directory(), directory(), directory(), directory()];
    const [unreadable, garbled] = [directory(), directory()];
    const copy = (at: string) => inFile('vacuum into ?', join(at, 'sluice.db'));
    copy(newer);
    copy(damaged);
    copy(foreign);
    for (const [at, sql] of [
      [unreadable, "update settings set value = '{' where name = 'route-rules'"],
      [garbled, "update allowlist set reason = cast(x'ff' as text)"],
    ] as const) {
      copy(at);
      copyFileSync(join(first.directory, AUTH_SECRET_FILE), join(at, AUTH_SECRET_FILE));
      const changed = new Libsql(join(at, 'sluice.db'));
      changed.exec(sql);
      changed.close();
    }
    const database = new Libsql(join(newer, 'sluice.db'));
    database.exec("insert into sluice_migrations values (999, '0999_future', 'x', 0)");
    database.close();
    const bytes = readFileSync(join(damaged, 'sluice.db'));
    bytes.fill(0x5a, 4 * 4096, 5 * 4096);
    writeFileSync(join(damaged, 'sluice.db'), bytes);
    writeFileSync(join(lost, AUTH_SECRET_FILE), 'x'.repeat(43));
    const starts: [beginning: string, output: Promise<string>][] = [
      ['PORT … is taken', failingStart(empty, { PORT: port })],
      ['Invalid configuration.', failingStart(empty, { SLUICE_LAB: 'maybe' })],
      ['AUTH_SECRET is missing', failingStart(empty, { DATABASE_URL: 'http://127.0.0.1:9' })],
      ['AUTH_SECRET is not the secret', failingStart(foreign, { AUTH_SECRET: 'y'.repeat(43) })],
      ['DATABASE_URL names …, which is missing', failingStart(lost)],
      ['DATABASE_URL names a database with', failingStart(newer)],
      ['DATABASE_URL names …, which is damaged', failingStart(damaged)],
      ['DATABASE_URL names …, which is damaged: the column', failingStart(garbled)],
      ['The setting', failingStart(unreadable, { REDIS_URL: redis.url })],
    ];
    for (const [beginning, output] of starts) expect(await output).toMatch(lineOf(quoted.atStart, beginning));
    other.close();
  });

  it('variables and rules without effect', async () => {
    await isLogged('… is not a Sluice variable');
    await isLogged('route rule … is skipped');
  });

  it('a damaged row', async () => {
    await isLogged('a stored row cannot be read');
  });

  it('sign-ins that are refused', async () => {
    const open = await fetch(`${product.origin}/api/auth/csrf`);
    const { csrfToken } = (await open.json()) as { csrfToken: string };
    const cookie = open.headers.getSetCookie().map((line) => line.split(';')[0]);
    const post = (way: string, fields: Record<string, string>, origin = product.origin) =>
      fetch(`${product.origin}/api/auth/${way}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: cookie.join('; '), origin },
        body: new URLSearchParams({ csrfToken, ...fields }),
      });
    await post('signin/oidc', {});
    expect(await isLogged('sign-in refused')).toMatchObject({
      refusal: 'ProviderDown',
      reason: expect.stringContaining('ECONNREFUSED'),
      advice: expect.stringContaining('reaches the provider'),
    });
    await post('signin/oidc', {}, product.origin.replace('http:', 'https:'));
    await isLogged('sign-in refused: the browser');
    await post('callback/credentials', { email: OWNER_EMAIL, password: OWNER_PASSWORD, code: '123456' });
    await isLogged('a second factor cannot be decrypted');
  });

  it('an upstream and a collector that are down', async () => {
    expect((await fetch(`${product.origin}/orders`)).status).toBe(503);
    expect(JSON.stringify(await isLogged('the upstream did not answer'))).toContain('ECONNREFUSED');
    expect(JSON.stringify(await isLogged('sending traces failed'))).toContain('ECONNREFUSED');
  });

  it('a database that another program holds', async () => {
    const other = new Libsql(file());
    other.exec('begin immediate');
    expect((await product.admin('POST', '/v1/check', { class: 'read', ip: '198.51.100.7' })).status).toBe(200);
    const entry = { type: 'user_id', identifier: 'u', reason: 'held' };
    expect((await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(503);
    expect(JSON.stringify(await isLogged('the database is down'))).toContain('SQLITE_BUSY');
    await isLogged('statistics cannot be written');
    other.exec('rollback');
    other.close();
  });

  it('a counter store that is down', async () => {
    await redis.stop();
    await isLogged('the counter store is down');
    const decided = await fetch(`${product.origin}/orders`);
    expect(decided.headers.get('x-ratelimit-status')).toBe('degraded');
    await isLogged('decisions are made without the counter store');
  });

  it('a database file that is gone', async () => {
    rmSync(file());
    await isLogged('the database file was deleted or replaced');
  });

  it('what a flood leaves, when the process ends', async () => {
    for (let n = 0; n < 8; n += 1) await fetch(`${product.origin}/v1/admin/tokens`);
    await product.stop();
    await isLogged('requests summed up');
  });

  it('nothing that none of these has seen', () => {
    // A user who may not write: packages and units are tried with one.
    const rest = [...quoted.atStart, ...quoted.running].filter((line) => !provoked.has(line));
    expect(rest).toEqual([expect.stringContaining('where this user may not write')]);
  });
});
