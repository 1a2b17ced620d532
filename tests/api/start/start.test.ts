import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUTH_SECRET_FILE } from '@/lib/auth/auth-secret';
import { ADMIN_TOKEN, OWNER_EMAIL, type Product, startProduct, until } from '../../fixtures/product';

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

describe('the start', () => {
  it.each([
    ['PORT', 'http'],
    ['SLUICE_ADMIN_TOKEN', 'short'],
    ['SLUICE_POLICIES', '{"classes":{"read":{"ip":{"limit":"many"}}}}'],
    ['DATABASE_URL', 'mysql://localhost'],
  ])('stops with a sentence that names %s', async (variable, value) => {
    const { code, output } = await failingStart({ [variable]: value });
    expect(code).toBe(1);
    expect(output).toContain(variable);
    expect(output).not.toMatch(/\n\s+at /);
  });

  it('stops on a database that is none', async () => {
    writeFileSync(
      join(directory, 'sluice.db'),
      'this is not a database, but it is long enough to look like a file of one',
    );
    const { code, output } = await failingStart({});
    expect(code).toBe(1);
    expect(output).toMatch(/not a database/i);
  });

  it('stops on a database of a newer version', async () => {
    const first = await startProduct({ directory });
    await first.stop();
    const database = new Libsql(join(directory, 'sluice.db'));
    database.exec("insert into sluice_migrations values (999, '0999_future', 'x', 0)");
    database.close();
    const { code, output } = await failingStart({});
    expect(code).toBe(1);
    expect(output).toMatch(/newer version/);
  });

  it('prints the first owner once, and keeps its secret beside the database', async () => {
    const env = { SLUICE_ADMIN_PASSWORD: '', SLUICE_ADMIN_EMAIL: '' };
    const first = await startProduct({ directory, env });
    expect(first.output()).toMatch(/admin@localhost/);
    expect(first.output()).toMatch(/password\s+\S{16,}/);
    await first.stop();
    running = await startProduct({ directory, env });
    expect(running.output()).not.toMatch(/password/);
    const kept = join(directory, AUTH_SECRET_FILE);
    expect(statSync(kept).mode & 0o077).toBe(0);
    expect(readFileSync(kept, 'utf8').trim().length).toBeGreaterThanOrEqual(32);
  });

  it('never overwrites an account', async () => {
    const first = await startProduct({ directory });
    await first.stop();
    running = await startProduct({ directory, env: { SLUICE_ADMIN_PASSWORD: 'another password entirely' } });
    const members = (await (await running.admin('GET', '/v1/admin/members')).json()) as { email: string }[];
    expect(members.map((one) => one.email)).toEqual([OWNER_EMAIL]);
    expect(running.output()).not.toMatch(/owner of this/);
  });
});

describe('the end', () => {
  it('on SIGTERM is not ready first, finishes what is in flight and exits with 0', async () => {
    running = await startProduct({ directory });
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
      expect(new Set(listed.map((one) => one.identifier))).toEqual(expect.objectContaining({ size: listed.length }));
      for (const identifier of kept) expect(listed.map((one) => one.identifier)).toContain(identifier);
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
