import { spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../fixtures/free-port';
import { until } from '../../fixtures/until';

let root: string;
const ended: (() => Promise<unknown>)[] = [];

/** A deployment without sources and without anything installed: what `npm start` needs, in a directory of its own. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-deployed-'));
  copyFileSync('server.mjs', join(root, 'server.mjs'));
  cpSync('server', join(root, 'server'), { recursive: true });
  symlinkSync(resolve('.next'), join(root, '.next'));
});
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  rmSync(root, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(root, 'server.mjs')], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } as unknown as NodeJS.ProcessEnv,
  });
  const run = { output: '', code: undefined as number | null | undefined };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      run.output += String(data);
    });
  }
  const exit = new Promise((done) =>
    child.once('exit', (code) => {
      run.code = code;
      done(code);
    }),
  );
  ended.push(() => {
    child.kill('SIGKILL');
    return exit;
  });
  return run;
}

it('is read whole, PORT included, without a build where there are no sources', async () => {
  const port = await freePort();
  const lines = [`PORT=${port}`, 'HOSTNAME_BIND=127.0.0.1', 'SLUICE_ADMIN_EMAIL=env@example.com', 'SLUICE_LABB=on'];
  writeFileSync(join(root, '.env'), `${lines.join('\n')}\n`);
  const run = start();
  await until(() => run.code !== undefined || run.output.includes('listens on'));
  expect(run.output).toContain(`Sluice listens on http://localhost:${port}`);
  expect(run.output).toContain('e-mail    env@example.com');
  expect(run.output).toContain('SLUICE_LABB is not a Sluice variable; did you mean SLUICE_LAB?');
  expect(run.output).not.toContain('building');
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});

it('gives way to the real environment', async () => {
  const port = await freePort();
  writeFileSync(join(root, '.env'), 'PORT=1\nSLUICE_ADMIN_EMAIL=file@example.com\n');
  const run = start({ PORT: String(port), HOSTNAME_BIND: '127.0.0.1', SLUICE_ADMIN_EMAIL: 'real@example.com' });
  await until(() => run.code !== undefined || run.output.includes('listens on'));
  expect(run.output).toContain(`Sluice listens on http://localhost:${port}`);
  expect(run.output).toContain('e-mail    real@example.com');
});

it('stops the start when it holds a wrong value', async () => {
  writeFileSync(join(root, '.env'), 'PORT=http\n');
  const run = start();
  await until(() => run.code !== undefined);
  expect(run.code).toBe(1);
  expect(run.output).toContain('PORT must be a number');
});

it('stops the start when it cannot be read', async () => {
  // Nobody can: it is a link to itself.
  symlinkSync('.env', join(root, '.env'));
  const run = start();
  await until(() => run.code !== undefined);
  expect(run.code).toBe(1);
  expect(run.output).toContain('Failed to load env from .env (ELOOP)');
});
