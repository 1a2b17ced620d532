import { createServer, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLine } from '@/tests/fixtures/command-line';
import { freePort } from '@/tests/fixtures/free-port';
import { httpsProxy } from '@/tests/fixtures/https-proxy';
import { close, listen } from '@/tests/fixtures/listen';
import { faketimeIsMissing, otherClock } from '@/tests/fixtures/other-clock';
import { ADMIN_TOKEN, type Product, startProduct } from '@/tests/fixtures/product';
import { partsAreMissing } from '@/tests/fixtures/programs';
import { RedisServer, redisIsMissing } from '@/tests/fixtures/redis-server';
import { until } from '@/tests/fixtures/until';

/** Proxies of this machine: one that the server believes, and one that it does not. */
const [TRUSTED, UNTRUSTED] = ['127.0.0.2', '127.0.0.3'];

type CommandLine = Awaited<ReturnType<typeof commandLine>>;
let sluice: CommandLine;
let product: Product;
let redis: RedisServer | null = null;
const withoutRedis = redisIsMissing('api/cli (doctor: counters that are down)');
const withoutFaketime = faketimeIsMissing('api/cli (doctor: a wrong clock)');

beforeAll(async () => {
  sluice = await commandLine();
  redis = withoutRedis ? null : await RedisServer.start();
  product = await startProduct({
    env: { SLUICE_TRUSTED_PROXIES: TRUSTED, ...(redis === null ? {} : { REDIS_URL: redis.url }) },
  });
});
afterAll(async () => {
  await product?.stop();
  await redis?.stop();
  sluice?.remove();
});

const own = () => ({ SLUICE_URL: product.origin, SLUICE_TOKEN: ADMIN_TOKEN });

interface Seen {
  checks: { check: string; state: string; text: string; advice?: string }[];
}
async function examine(env: Record<string, string>, command: CommandLine = sluice) {
  const { code, stdout } = await command.run(['doctor', '--json'], { env });
  const { checks } = JSON.parse(stdout) as Seen;
  // Nothing is wrong without a word on what to do, and nothing else has one.
  for (const { check, state, advice } of checks)
    expect([check, advice !== undefined]).toEqual([check, state === 'warning' || state === 'failed']);
  return { code, checks, of: (name: string) => checks.find(({ check }) => check === name) };
}

describe('sluice doctor', () => {
  test('finds everything in order', async () => {
    const { code, checks } = await examine(own());
    expect(checks.map(({ check, state }) => `${check} ${state}`)).toEqual([
      ...['connection ok', 'server ok', 'token ok', 'versions ok', 'proxy ok', 'clock ok', 'parts ok'],
    ]);
    expect(code).toBe(0);
    const { stdout } = await sluice.run(['doctor'], { env: own() });
    expect(stdout).toContain('✓ token       Good: SLUICE_ADMIN_TOKEN, role owner.');
  });

  test('where there is no server: 3, and to start it', async () => {
    const { code, of } = await examine({ ...own(), SLUICE_URL: `http://127.0.0.1:${await freePort()}` });
    expect([code, of('connection')?.text]).toEqual([3, expect.stringContaining('ECONNREFUSED')]);
    expect(of('connection')?.advice).toContain('start Sluice');
  });

  test('where something else answers: to check the address', async () => {
    const other = createServer((_, response) => response.end('<h1>It works!</h1>'));
    const SLUICE_URL = `http://127.0.0.1:${await listen(other)}`;
    const { code, of } = await examine({ ...own(), SLUICE_URL });
    await close(other);
    expect([code, of('server')?.state]).toEqual([1, 'failed']);
    expect(of('server')?.advice).toContain('SLUICE_URL');
  });

  test('a token that is wrong, of a gateway, or missing: the rest is looked at all the same', async () => {
    const wrong = await examine({ ...own(), SLUICE_TOKEN: 'no-token-of-this-server' });
    expect([wrong.code, wrong.of('token')?.state]).toEqual([1, 'failed']);
    expect(wrong.of('token')?.advice).toContain('sluice login');
    for (const check of ['clock', 'parts']) expect(wrong.of(check)?.state).toBe('ok');
    for (const check of ['versions', 'proxy']) expect(wrong.of(check)?.state).toBe('skipped');
    const none = await examine({ SLUICE_URL: product.origin });
    expect([none.code, none.of('token')?.text]).toEqual([1, 'There is none.']);
    const made = await product.admin('POST', '/v1/admin/tokens', { name: 'gateway', role: 'gateway' });
    const { token } = (await made.json()) as { token: string };
    const gateway = await examine({ ...own(), SLUICE_TOKEN: token });
    expect([gateway.code, gateway.of('token')?.text]).toEqual([0, expect.stringContaining('role gateway')]);
  });

  test.skipIf(partsAreMissing('api/cli (doctor: TLS)', 'openssl'))(
    'tells TLS apart: an unknown authority, a certificate that ends soon, a proxy that says nothing',
    async () => {
      await using proxy = await httpsProxy(product.port);
      const SLUICE_URL = proxy.origin;
      const unknown = await examine({ ...own(), SLUICE_URL });
      expect([unknown.code, unknown.of('encryption')?.advice]).toEqual([
        3,
        expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      ]);
      const known = await examine({ ...own(), SLUICE_URL, NODE_TLS_REJECT_UNAUTHORIZED: '0' });
      expect(known.of('encryption')).toMatchObject({ state: 'warning', advice: 'Renew it.' });
      expect(known.of('proxy')).toMatchObject({
        state: 'warning',
        text: expect.stringContaining('TLS ends in front of it'),
      });
      expect(known.code).toBe(0);
      if (withoutFaketime) return;
      for (const offset of ['+90d', '-90d']) {
        const env = { ...own(), SLUICE_URL, NODE_EXTRA_CA_CERTS: proxy.certificate, ...otherClock(offset) };
        const { code, of } = await examine(env);
        expect([code, of('encryption')?.advice]).toEqual([3, expect.stringContaining('Set the clock of this machine')]);
      }
    },
  );

  test.skipIf(withoutFaketime).each([
    ['-2h', 'ahead of'],
    ['+2h', 'behind'],
  ])('a clock of this machine that is %s off: by how much, and to set it', async (offset, words) => {
    for (const token of [ADMIN_TOKEN, 'no-token-of-this-server']) {
      const { of } = await examine({ ...own(), SLUICE_TOKEN: token, ...otherClock(offset) });
      expect(of('clock')).toMatchObject({ state: 'warning', advice: expect.stringContaining('NTP') });
      expect(of('clock')?.text).toMatch(new RegExp(`is 7(199|200|201)[.\\d]* s ${words} the one of this machine`));
    }
  });

  test.each([
    ['0.2.0', 'The server is older'],
    ['0.0.9', 'This command is older'],
  ])('another version, with a command of %s: which to replace', async (version, advice) => {
    const other = await commandLine({ version });
    const { code, of } = await examine(own(), other);
    other.remove();
    expect(of('versions')?.text).toContain(`sluice ${version}, server 0.1.0`);
    expect([code, of('versions')?.state, of('versions')?.advice]).toEqual([
      ...[0, 'warning', expect.stringContaining(advice)],
    ]);
  });

  test.each([
    [TRUSTED, 0, 'ok', 'takes this machine for 203.0.113.9, behind the proxy 127.0.0.2'],
    [UNTRUSTED, 1, 'failed', 'A proxy at 127.0.0.3'],
  ])('behind a proxy at %s: who Sluice takes everybody for', async (localAddress, code, state, text) => {
    const proxy = createServer((incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      const sent = { ...headers, 'x-forwarded-for': '203.0.113.9' };
      const to = { host: '127.0.0.1', port: product.port, localAddress };
      const passed = request({ ...to, method, path, headers: sent }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(passed);
    });
    const seen = await examine({ ...own(), SLUICE_URL: `http://127.0.0.1:${await listen(proxy)}` });
    await close(proxy);
    expect(seen.code).toBe(code);
    expect(seen.of('proxy')).toMatchObject({ state, text: expect.stringContaining(text) });
    if (state === 'failed') expect(seen.of('proxy')?.advice).toContain(`SLUICE_TRUSTED_PROXIES=${localAddress}`);
  });

  test.skipIf(withoutRedis)('counters that are down: what to mend, also without a token', async () => {
    await redis?.kill();
    await until(async () => {
      const { status } = (await (await fetch(`${product.origin}/readyz`)).json()) as { status: string };
      return status === 'degraded';
    });
    for (const token of [ADMIN_TOKEN, 'no-token-of-this-server']) {
      const { code, of } = await examine({ ...own(), SLUICE_TOKEN: token });
      expect(code).toBe(1);
      expect(of('server')).toMatchObject({ state: 'warning', text: expect.stringContaining('Down: counter store') });
      expect(of('parts')).toMatchObject({ state: 'failed', text: expect.stringContaining('Down: counter store') });
      expect(of('parts')?.advice).toMatch(/REDIS_URL.*half the limit/);
    }
  });
});
