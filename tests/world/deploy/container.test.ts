import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Container, containersAreMissing } from '../../fixtures/container';
import { contextOf, readDockerfile, textsOf } from '../../fixtures/dockerfile';
import { ADMIN_TOKEN, type Product, startProduct } from '../../fixtures/product';

/** `npm run check:container` runs the stages of the build as well. */
const building = process.env.SLUICE_TEST_CONTAINER_BUILD === '1';
const suite = 'the container';
const stages = readDockerfile('Dockerfile');
const last = stages.at(-1)!;

describe('the Dockerfile', () => {
  it('ends in a stage that runs as a user who is not root, by a number, and builds nothing', () => {
    expect(stages.length).toBeGreaterThan(1);
    expect(textsOf(last, 'USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
    expect(textsOf(last, 'RUN').join()).not.toMatch(/npm (ci|install|run)|apt-get/);
    expect(textsOf(last, 'VOLUME')).toHaveLength(1);
    // Signals reach the server itself, not a shell.
    for (const keyword of ['ENTRYPOINT', 'HEALTHCHECK']) expect(textsOf(last, keyword).join()).toMatch(/\[".*"\]$/);
  });

  it('asks for nothing that Docker 20.10 and Podman 4 do not know', () => {
    const known = { HEALTHCHECK: ['interval', 'timeout', 'start-period', 'retries'], COPY: ['from', 'chown', 'chmod'] };
    for (const [keyword, flags] of Object.entries(known)) {
      const used = stages.flatMap((stage) =>
        textsOf(stage, keyword).flatMap((text) => text.match(/(?<=^| )--[\w-]+/g) ?? []),
      );
      expect(used.filter((flag) => !flags.includes(flag.slice(2)))).toEqual([]);
    }
    for (const { instructions } of stages)
      for (const { text } of instructions) expect(text).not.toMatch(/^--mount|<<EOF/);
  });

  it('gets no secret, no data and no history', () => {
    const context = contextOf('.dockerignore');
    expect(context.filter((path) => /^(\.env|\.git|data|node_modules|\.next)$/.test(path))).toEqual([]);
    for (const path of context) expect(() => statSync(path)).not.toThrow();
  });
});

describe.skipIf(containersAreMissing(suite))(suite, () => {
  let container: Container;
  let product: Product;

  beforeAll(async () => {
    container = new Container('Dockerfile', { building });
    product = await startProduct({
      entry: { command: container.command(), cwd: process.cwd() },
      env: { ...container.environment, PORT: '0' },
    });
  }, 1_800_000);
  afterAll(() => {
    product?.process.kill('SIGKILL');
    container?.[Symbol.dispose]();
  });

  function run(words: readonly [string, ...string[]], env: Record<string, string> = {}) {
    const [program, ...args] = words;
    const environment = { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv;
    return spawnSync(program, args, { env: environment, encoding: 'utf8' });
  }

  it('serves, and keeps its data in the volume, for itself alone', async () => {
    expect((await fetch(`${product.origin}/sign-in`)).status).toBe(200);
    expect(readdirSync(container.volume)).toEqual(
      expect.arrayContaining(['auth-secret', 'sluice.db', 'sluice.db-shm', 'sluice.db-wal']),
    );
    expect(statSync(container.volume).mode & 0o077).toBe(0);
    const decided = await product.admin('POST', '/v1/check', { class: 'read', ip: '203.0.113.1' });
    expect(await decided.json()).toMatchObject({ allowed: true });
  });

  it('may do nothing more than its user may', () => {
    const status = readFileSync(`/proc/${product.process.pid}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\s+1000\s+1000\s+1000\s+1000$/m);
    for (const set of ['CapEff', 'CapPrm', 'CapBnd']) expect(status).toMatch(new RegExp(`^${set}:\\s+0+$`, 'm'));
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(run(container.command(['touch', '/opt/sluice/x'])).stderr).toMatch(/Read-only file system/);
  });

  it('has the command line, and nothing that installs', () => {
    const doctor = run(container.command(['sluice', 'doctor']), {
      SLUICE_URL: product.origin,
      SLUICE_TOKEN: ADMIN_TOKEN,
    });
    expect(doctor.stdout).toMatch(/✓ token/);
    const tools = ['npm', 'npx', 'corepack', 'yarn'].map((name) => `/usr/local/bin/${name}`);
    expect(run(container.command(['ls', '-d', ...tools, '/usr/local/lib/node_modules'])).stdout).toBe('');
  });

  it('is healthy while it lives, and stops when it is told to', async () => {
    const env = { ...container.environment, PORT: String(product.port) };
    expect(run(container.healthcheck, env).status).toBe(0);
    expect(await product.stop()).toBe(0);
    expect(run(container.healthcheck, env).status).toBe(1);
  });
});
