import { spawn } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createListener } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AUTH_SECRET_FILE } from '@/lib/auth/auth-secret';
import { freePort } from '../../fixtures/free-port';
import { ADMIN_TOKEN, adminAt, OWNER_EMAIL, type Product, startProduct } from '../../fixtures/product';
import { SmallDisk, smallDiskIsMissing } from '../../fixtures/small-disk';
import { until } from '../../fixtures/until';

let directory: string;
let running: Product | null = null;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-start-'));
});
afterEach(async () => {
  await running?.kill();
  running = null;
  rmSync(directory, { recursive: true, force: true });
});

/** Starts the product in a way that should fail; answers its exit code and what it printed. */
function failingStart(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['server.mjs'], {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        DATABASE_URL: `file:${join(directory, 'sluice.db')}`,
        ...env,
      } as unknown as NodeJS.ProcessEnv,
    });
    let output = '';
    child.stdout.on('data', (data) => {
      output += String(data);
    });
    child.stderr.on('data', (data) => {
      output += String(data);
    });
    child.on('exit', (code) => resolve({ code, output }));
  });
}

const file = () => join(directory, 'sluice.db');
const secret = () => join(directory, AUTH_SECRET_FILE);

/** A start that fails as it should: exit code 1, sentences that name the variable, no trace. Answers what was printed. */
async function refused(env: Record<string, string>, variable: string): Promise<string> {
  const { code, output } = await failingStart(env);
  expect(code).toBe(1);
  expect(output).toContain(variable);
  expect(output).not.toMatch(/\n\s+at |Error:/);
  expect(output.trim().split('\n').length).toBeLessThanOrEqual(2);
  return output;
}

describe('the start', () => {
  it.each([
    ['SLUICE_POLICIES', '{"classes":{"read":{"ip":{"limit":"many"}}}}'],
    ['DATABASE_URL', 'mysql://localhost'],
    ['HOSTNAME_BIND', '192.0.2.1'],
    // Where nothing can be made, for anyone: Node's own recursive mkdir never comes back here.
    ['DATABASE_URL', 'file:/proc/sluice/data/sluice.db'],
    ['DATABASE_URL', 'file:/dev/null/sluice.db'],
  ])('stops with a sentence that names %s', async (variable, value) => {
    await refused({ [variable]: value }, variable);
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'is no database',
      () => writeFileSync(file(), 'not a database, but long enough to look like a file of one'),
      /not a database/,
    ],
    ['is a directory', () => mkdirSync(file()), /is a directory/],
    [
      'is lost, with its secret left behind',
      () => writeFileSync(secret(), 'x'.repeat(43)),
      /auth-secret shows that a database existed/,
    ],
    [
      'is lost, with a backup beside it',
      () => writeFileSync(`${file()}.bak`, 'x'),
      /sluice\.db\.bak shows that a database existed/,
    ],
  ])('stops on a database that %s', async (_, prepare, words) => {
    prepare();
    expect(await refused({}, 'DATABASE_URL')).toMatch(words);
  });

  it('stops on a database with a damaged page', async () => {
    await (await startProduct({ directory })).stop();
    const database = new Libsql(file());
    database.exec('pragma wal_checkpoint(truncate)');
    database.close();
    const bytes = readFileSync(file());
    bytes.fill(0x5a, 4 * 4096, 5 * 4096);
    writeFileSync(file(), bytes);
    expect(await refused({}, 'DATABASE_URL')).toMatch(/damaged/);
  });

  it.skipIf(smallDiskIsMissing('product/start (full disk)'))('stops on a disk too small for the tables', async () => {
    using disk = new SmallDisk('1m');
    const env = { DATABASE_URL: `file:${join(disk.directory, 'sluice.db')}` };
    expect(await refused(env, 'DATABASE_URL')).toMatch(/disk is full/);
  });

  it('stops on a port that is taken, before it makes anything', async () => {
    const other = createListener();
    const port = await freePort();
    await new Promise<void>((resolve) => other.listen(port, resolve));
    await refused({ PORT: String(port) }, 'PORT');
    other.close();
    expect(() => statSync(file())).toThrow('ENOENT');
  });

  it('stops without a secret before it touches a database server, and when there is no such server', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(401).end('{"error":"Unauthorized"}');
    });
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const DATABASE_URL = `http://127.0.0.1:${port}?authToken=not-to-be-repeated`;
    const AUTH_SECRET = 's'.repeat(32);
    await refused({ DATABASE_URL }, 'AUTH_SECRET');
    expect(asked).toBe(0);
    const unauthorized = await refused({ DATABASE_URL, AUTH_SECRET }, 'DATABASE_AUTH_TOKEN');
    expect(unauthorized).not.toContain('not-to-be-repeated');
    await new Promise((resolve) => server.close(resolve));
    await refused({ DATABASE_URL, AUTH_SECRET }, 'DATABASE_URL');
  });

  it('warns of a variable that nothing reads', async () => {
    running = await startProduct({ directory, env: { SLUICE_UPSTREM: 'http://127.0.0.1:8080' } });
    expect(running.output()).toMatch(/SLUICE_UPSTREM is not a Sluice variable; did you mean SLUICE_UPSTREAM\?/);
  });

  it('stops on a database of a newer version', async () => {
    const first = await startProduct({ directory });
    await first.stop();
    const database = new Libsql(join(directory, 'sluice.db'));
    database.exec("insert into sluice_migrations values (999, '0999_future', 'x', 0)");
    database.close();
    expect(await refused({}, 'DATABASE_URL')).toMatch(/newer version/);
  });

  it('prints the first owner once, and keeps its secret beside the database', async () => {
    const env = { SLUICE_ADMIN_PASSWORD: '', SLUICE_ADMIN_EMAIL: '' };
    const first = await startProduct({ directory, env });
    expect(first.output()).toMatch(/admin@localhost/);
    expect(first.output()).toMatch(/password\s+\S{16,}/);
    // What was made, who the owner is, where it listens; nothing of the framework.
    expect(first.output().trim().split('\n')).toEqual([
      `Created the database ${file()}.`,
      '',
      'First owner:',
      '  e-mail    admin@localhost',
      expect.stringMatching(/^ {2}password {2}\S{16,}$/),
      'Shown only once. Sign in at /sign-in and change it there.',
      '',
      `Sluice listens on http://localhost:${first.port}`,
    ]);
    await first.stop();
    running = await startProduct({ directory, env });
    expect(running.output()).not.toMatch(/password/);
    for (const made of [file(), `${file()}-wal`, `${file()}-shm`, secret()])
      expect(statSync(made).mode & 0o077).toBe(0);
    expect(readFileSync(secret(), 'utf8').trim().length).toBeGreaterThanOrEqual(32);
  });

  it('never overwrites an account', async () => {
    const first = await startProduct({ directory });
    await first.stop();
    running = await startProduct({ directory, env: { SLUICE_ADMIN_PASSWORD: 'another password entirely' } });
    const members = (await (await running.admin('GET', '/v1/admin/members')).json()) as { email: string }[];
    expect(members.map((member) => member.email)).toEqual([OWNER_EMAIL]);
    expect(running.output()).not.toMatch(/owner of this/);
  });
});

describe('a start of Next alone', () => {
  it.skipIf(smallDiskIsMissing('product/start (Next alone)'))(
    'that failed is tried again, says why, and is followed by all periodic work',
    async () => {
      using disk = new SmallDisk('16m');
      disk.fill();
      const port = await freePort();
      const words = ['node_modules/next/dist/bin/next', 'start', '--hostname', '127.0.0.1', '--port', String(port)];
      const env = { PATH: process.env.PATH, DATABASE_URL: `file:${join(disk.directory, 'sluice.db')}` };
      const child = spawn(process.execPath, words, {
        env: { ...env, SLUICE_ADMIN_TOKEN: ADMIN_TOKEN } as unknown as NodeJS.ProcessEnv,
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let errors = '';
      child.stderr.on('data', (data) => {
        errors += String(data);
      });
      child.stdout.resume();
      const origin = `http://127.0.0.1:${port}`;
      const readyStatus = async () => (await fetch(`${origin}/readyz`).catch(() => null))?.status;
      await until(async () => (await readyStatus()) === 503);
      await until(() => errors.includes('DATABASE_URL'));
      disk.empty();
      await until(async () => (await readyStatus()) === 200);
      const admin = adminAt(origin);
      expect((await admin('POST', '/v1/check', { class: 'read', ip: '192.0.2.1' })).status).toBe(200);
      await until(async () => {
        const { totals } = (await (await admin('GET', '/v1/admin/statistics')).json()) as {
          totals: { allowed: number };
        };
        return totals.allowed === 1;
      });
      expect(errors.match(/DATABASE_URL/g)).toHaveLength(1);
    },
  );
});

describe('the database file, while it is open', () => {
  const entry = (identifier: string) => ({ type: 'user_id', identifier, reason: 'file' });
  const add = (product: Product, identifier: string) =>
    product.admin('POST', '/v1/admin/rate-limit/allowlist', entry(identifier));
  const decide = (product: Product) =>
    product.admin('POST', '/v1/check', { method: 'POST', path: '/auth/token', ip: '203.0.113.9' });

  it('replaced by a backup: not ready, no change vanishes, decisions go on, and the backup is what is there next', async () => {
    running = await startProduct({ directory });
    expect((await add(running, 'kept')).status).toBe(200);
    const backup = join(directory, 'backup');
    const reader = new Libsql(file());
    reader.exec(`vacuum into '${backup}'`);
    reader.close();
    expect((await add(running, 'after the backup')).status).toBe(200);
    expect((await decide(running)).status).toBe(200);

    for (const suffix of ['-wal', '-shm', '']) rmSync(`${file()}${suffix}`);
    copyFileSync(backup, `${file()}.new`);
    renameSync(`${file()}.new`, file());
    for (const query of ['', '?strict=true']) {
      const readiness = await fetch(`${running.origin}/readyz${query}`);
      expect(readiness.status).toBe(503);
      expect(await readiness.json()).toMatchObject({ details: [{ path: 'database_file' }] });
    }
    const refusal = await add(running, 'lost');
    expect(refusal.status).toBe(503);
    expect(refusal.headers.get('retry-after')).not.toBeNull();
    expect(await refusal.json()).toMatchObject({ error: 'service_unavailable' });
    // The limits hold on the counters that are open: ten in a minute, one was counted before.
    const counted = await decide(running);
    expect(await counted.json()).toMatchObject({ allowed: true, remaining: 8 });
    await until(() => /deleted or replaced/.test(running?.output() ?? ''));
    expect(await running.stop()).toBe(0);

    running = await startProduct({ directory });
    const listed = (await (await running.admin('GET', '/v1/admin/rate-limit/allowlist')).json()) as object[];
    expect(listed).toEqual([expect.objectContaining({ identifier: 'kept' })]);
  });

  it('deleted: the next start says so and makes no empty one', async () => {
    running = await startProduct({ directory });
    rmSync(file());
    expect((await fetch(`${running.origin}/readyz`)).status).toBe(503);
    expect((await add(running, 'lost')).status).toBe(503);
    await running.stop();
    running = null;
    expect(await refused({}, 'DATABASE_URL')).toMatch(/is missing or empty/);
    expect(() => statSync(file())).toThrow('ENOENT');
  });
});

describe('the end', () => {
  it('on SIGTERM is not ready first, finishes what is in flight and exits with 0', async () => {
    running = await startProduct({ directory, env: { SLUICE_DRAIN_SECONDS: '2' } });
    let finish = () => {};
    const slow = new Promise<number | undefined>((resolve, reject) => {
      const call = request(
        `${running?.origin}/v1/admin/rate-limit/allowlist`,
        {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${ADMIN_TOKEN}`,
            'Content-Type': 'application/json',
            'Transfer-Encoding': 'chunked',
          },
        },
        (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode));
        },
      );
      call.on('error', reject);
      call.write('{"type":"ip","identifier":"203.0.113.5",');
      finish = () => call.end('"reason":"slow"}');
    });
    await until(async () => (await fetch(`${running?.origin}/healthz`)).ok);
    const ended = running.stop();
    let sawUnready = false;
    await until(async () => {
      const response = await fetch(`${running?.origin}/readyz`).catch(() => null);
      if (response?.status === 503) sawUnready = true;
      return sawUnready || response === null;
    });
    expect(sawUnready).toBe(true);
    finish();
    expect(await slow).toBe(200);
    expect(await ended).toBe(0);
    running = null;
  });

  it('by kill -9 loses nothing that was acknowledged', async () => {
    let kept: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      running = await startProduct({ directory });
      const listed = (await (await running.admin('GET', '/v1/admin/rate-limit/allowlist')).json()) as {
        identifier: string;
      }[];
      expect(new Set(listed.map((entry) => entry.identifier))).toEqual(
        expect.objectContaining({ size: listed.length }),
      );
      for (const identifier of kept) expect(listed.map((entry) => entry.identifier)).toContain(identifier);
      const verified = (await (await running.admin('GET', '/v1/admin/audit/verify')).json()) as { valid: boolean };
      expect(verified.valid).toBe(true);
      const acknowledged: string[] = [];
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let index = 0; index < 1000; index += 1) {
          const identifier = `user-${round}-${writer}-${index}`;
          const response = await running
            ?.admin('POST', '/v1/admin/rate-limit/allowlist', { type: 'user_id', identifier, reason: 'kill' })
            .catch(() => null);
          if (response?.status !== 200) return;
          acknowledged.push(identifier);
        }
      });
      await until(() => acknowledged.length > 40);
      await running.kill();
      await Promise.all(writers);
      kept = [...kept, ...acknowledged];
    }
    running = null;
  });
});
