import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACTS } from '@/lib/contract/contracts';
import { type Contract, fillPath } from '@/lib/contract/operation';
import { ADMIN_TOKEN, type Product, startProduct } from '../../fixtures/product';
import { product, productSuite } from '../../fixtures/product-suite';
import { until } from '../../fixtures/until';

const ENV = { CRON_SECRET: 'a secret of the tests' };
productSuite(ENV);

/** Next without `server.mjs`, as on Vercel. */
let alone: Product;
beforeAll(async () => {
  alone = await startProduct({ env: ENV, entry: 'next start' });
});
afterAll(() => alone?.stop());
const serverOf = (entry: string) => (entry === 'next start' ? alone : product);
const ENTRIES = ['server.mjs', 'next start'];

const MIB = 1024 * 1024;
/** Credentials of these come in the body, or there are none. */
const WITHOUT_ROLE = ['public', 'lab-client', 'lab-token'];
const GUARDED = CONTRACTS.filter(({ access }) => !WITHOUT_ROLE.includes(access));
const STATE = '/v1/admin/state';
const OWNER = `Authorization: Bearer ${ADMIN_TOKEN}\r\n`;

const open = new Set<() => void>();
afterEach(() => {
  for (const close of open) close();
  open.clear();
});

/** A connection and all that came on it. */
function talk(first: string | Buffer, to: Product = product) {
  const socket = connect(to.port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.write(first);
  open.add(() => socket.destroy());
  return { socket, text: () => text };
}

function targetOf({ path, example }: Contract): string {
  const id = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';
  const query = new URLSearchParams(example?.query).toString();
  const target = fillPath({ path } as Contract, { id, ...example?.params });
  return query === '' ? target : `${target}?${query}`;
}

/** Bodies that have begun, or not even that. */
const BEGUN: [string, (limit: number) => string][] = [
  ['a declared length', (limit) => `Content-Length: ${limit - 1}\r\n\r\n`],
  ['a declared length, and the beginning', (limit) => `Content-Length: ${limit - 1}\r\n\r\n{"version":`],
  ['chunks', () => 'Transfer-Encoding: chunked\r\n\r\n'],
  ['chunks, and the first', () => 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n'],
  ['leave to send it', (limit) => `Expect: 100-continue\r\nContent-Length: ${limit - 1}\r\n\r\n`],
];

/** The status of each guarded operation for a request whose body does not come. */
async function statusesOf(
  credentials: string,
  rest: (limit: number) => string,
  to: Product = product,
  operations: readonly Contract[] = GUARDED,
): Promise<Map<string, string>> {
  const asked = operations.map((contract) => {
    const head = `${contract.method} ${targetOf(contract)} HTTP/1.1\r\nHost: a\r\n${credentials}Content-Type: application/json\r\n`;
    return { id: contract.id, ...talk(head + rest(contract.body?.limit ?? 64 * 1024), to) };
  });
  await until(() => asked.every(({ text }) => text().includes('\r\n\r\n')));
  return new Map(asked.map(({ id, text }) => [id, /^HTTP\/1\.1 (\d{3})/.exec(text())?.[1] ?? text()]));
}

describe.each(ENTRIES)('a request without credentials to %s', (entry) => {
  // Node gives leave by itself under `next start`.
  it.each(BEGUN.slice(0, entry === 'next start' ? -1 : undefined))(
    'is refused by every operation before its body comes: %s',
    async (_, rest) => {
      const statuses = await statusesOf('', rest, serverOf(entry));
      expect(statuses.size).toBeGreaterThan(80);
      expect([...statuses].filter(([, status]) => status !== '401')).toEqual([]);
    },
  );

  it('is refused before its body comes in other spellings of a path', async () => {
    for (const path of ['/v1/admin/%73tate', '/v1/admin/rate%2Dlimit/allowlist', '/v1/admin/state?dry_run=true']) {
      const { text } = talk(`PUT ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n`);
      await until(() => text().includes('\r\n\r\n'));
      expect(text(), path).toMatch(/^HTTP\/1\.1 (?:401|405)/);
    }
  });
});

it.each(ENTRIES)('a role that does not allow it is refused by %s before the body comes', async (entry) => {
  const to = serverOf(entry);
  const made = await to.admin('POST', '/v1/admin/tokens', { name: 'reader', role: 'viewer' });
  const { token } = (await made.json()) as { token: string };
  const refused = GUARDED.filter(({ access }) => ['operator', 'owner', 'decide'].includes(access));
  expect(refused.length).toBeGreaterThan(40);
  const begun = () => 'Content-Length: 100\r\n\r\n';
  const statuses = await statusesOf(`Authorization: Bearer ${token}\r\n`, begun, to, refused);
  expect(refused.filter(({ id }) => statuses.get(id) !== '403').map(({ id }) => id)).toEqual([]);
});

describe.each(ENTRIES)('a body that is too large for %s', (entry) => {
  it('is refused by what it declares, by every operation that changes something', async () => {
    const refused = GUARDED.filter(({ method, path }) => method !== 'GET' && !path.startsWith('/v1/forward-auth'));
    expect(refused.length).toBeGreaterThan(50);
    const declared = (limit: number) => `Content-Length: ${limit + 1}\r\n\r\n`;
    const statuses = await statusesOf(OWNER, declared, serverOf(entry), refused);
    expect(refused.filter(({ id }) => statuses.get(id) !== '413').map(({ id }) => id)).toEqual([]);
  });

  it('is refused by what comes', async () => {
    for (const path of ['/v1/admin/rate-limit/allowlist', '/v1/check']) {
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n${OWNER}Content-Type: application/json\r\n`;
      const part = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
      const { text } = talk(`${head}Transfer-Encoding: chunked\r\n\r\n${part.repeat(5)}`, serverOf(entry));
      await until(() => text().includes('payload_too_large'));
      expect(text()).toMatch(/^HTTP\/1\.1 413 /);
    }
  });

  it('is refused once it has come, where anybody may send it', async () => {
    const body = 'x'.repeat(900_000);
    const paths = ['/auth/token', '/api/auth/callback/credentials', '/v1/invitation'];
    // Several times, because a connection that closes too early loses only some answers.
    for (const path of Array.from({ length: 20 }, () => paths).flat()) {
      const headers = {
        'Content-Type': path.startsWith('/v1') ? 'application/json' : 'application/x-www-form-urlencoded',
      };
      const answer = await fetch(serverOf(entry).origin + path, { method: 'POST', headers, body });
      expect([path, answer.status, await answer.json()]).toEqual([
        ...[path, 413],
        expect.objectContaining({ error: 'payload_too_large' }),
      ]);
    }
  });
});

it('leave to send a body is given once the caller is authorised', async () => {
  const body = '{"version":1}';
  const head = `POST ${STATE}/plan HTTP/1.1\r\nHost: a\r\n${OWNER}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { socket, text } = talk(head);
  await until(() => text().includes('100 Continue'));
  socket.write(`${body}GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  await until(() => text().includes('{"status":"ok"'));
  expect(text().match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200', 'HTTP/1.1 200']);
});

it('requests behind one with a body are answered, whatever answers it', async () => {
  const post = (path: string, body: string, framing: string) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\n${OWNER}Content-Type: application/json\r\n${framing}\r\n\r\n${body}`;
  const check = '{"ip":"198.51.100.7","method":"GET","path":"/x"}';
  const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const all = [
    post(`${STATE}/plan`, '{"version":1}', 'Content-Length: 13'),
    post('/v1/check', check, `Content-Length: ${check.length}`),
    post(`${STATE}/plan`, chunked('{"version":1}'), 'Transfer-Encoding: chunked'),
    post('/v1/check', chunked(check), 'Transfer-Encoding: chunked'),
    post('/v1/admin/incident', '0\r\n\r\n', 'Transfer-Encoding: chunked'),
    'GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
    `GET /v1/admin/policies HTTP/1.1\r\nHost: a\r\n${OWNER}Content-Length: 5\r\n\r\nhello`,
    'GET /sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
    'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  ];
  const { text } = talk(all.join(''));
  await until(() => text().split('{"status":"ok"').length === 3);
  expect(
    text()
      .match(/HTTP\/1\.1 \d{3}/g)
      ?.map((line) => line.slice(-3)),
  ).toEqual([...['200', '200', '200', '200', '405', '200', '200', '200', '200']]);
});

/** Resident memory of a product, in MiB. */
function memoryOf({ process }: Product): number {
  const status = readFileSync(`/proc/${process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** Connections that send a megabyte, or less, of a body that never ends. */
async function flood(heads: readonly string[], bytes: number, to: Product = product) {
  const part = Buffer.alloc(bytes, 'x');
  const before = memoryOf(to);
  const all = heads.map((head) => talk(Buffer.concat([Buffer.from(head), part]), to));
  await until(() => all.every(({ text, socket }) => text() !== '' || socket.bytesWritten >= bytes));
  return { grown: memoryOf(to) - before, all };
}

describe.skipIf(process.platform !== 'linux')('memory', () => {
  it.each(ENTRIES)('of %s does not grow with bodies of unauthenticated callers', async (entry) => {
    const to = serverOf(entry);
    for (const framing of ['Content-Length: 16000000', 'Transfer-Encoding: chunked']) {
      const first = framing.startsWith('T') ? 'F00000\r\n' : '';
      const heads = Array.from({ length: 300 }, (_, index) =>
        ['PUT', 'POST', 'POST'].map(
          (method, place) =>
            `${method} ${[STATE, `${STATE}/plan`, '/v1/admin/batch'][place]} HTTP/1.1\r\nHost: a\r\nX-Request-Id: flood-${index}\r\n${place === 2 && first === '' ? 'Content-Length: 1000000' : framing}\r\n\r\n${first}`,
        ),
      ).flat();
      const { grown, all } = await flood(heads.slice(0, 300), MIB, to);
      await until(() => all.every(({ text, socket }) => text() !== '' || socket.destroyed));
      expect(grown).toBeLessThan(200);
    }
    expect((await fetch(`${to.origin}/readyz`)).status).toBe(200);
  });

  it('is bounded where a body needs no credentials', async () => {
    const targets = ['/api/auth/callback/credentials', '/auth/token', '/v1/oauth/replays/x', '/sign-in'];
    const heads = Array.from({ length: 400 }, (_, index) => {
      const type = 'Content-Type: application/x-www-form-urlencoded';
      return `POST ${targets[index % targets.length]} HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: 65000\r\n\r\n`;
    });
    const { grown, all } = await flood(heads, 60_000);
    expect(grown).toBeLessThan(150);
    // Of one address some 2 MiB are held.
    await until(() => all.filter(({ text }) => text().startsWith('HTTP/1.1 503')).length > 200);
    for (const { text } of all) if (text().startsWith('HTTP/1.1 503')) expect(text()).toMatch(/\r\nRetry-After: 2\r\n/);
  });

  it('is bounded for authorised bodies too, which are received once others are answered', async () => {
    const large = `{"version":1}${' '.repeat(15 * MIB)}`;
    const plan = () =>
      fetch(`${product.origin}${STATE}/plan`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
        body: large,
      });
    expect((await plan()).status).toBe(200);
    const head = `PUT ${STATE} HTTP/1.1\r\nHost: a\r\n${OWNER}Content-Type: application/json\r\nContent-Length: 16000000\r\n\r\n`;
    const { all } = await flood(Array(8).fill(head), 12 * MIB);
    await until(() => all.filter(({ text }) => text().startsWith('HTTP/1.1 503')).length >= 5);
    for (const { socket } of all) socket.destroy();
    await until(async () => (await plan()).status === 200);
  });
});
