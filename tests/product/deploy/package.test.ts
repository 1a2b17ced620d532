import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MailServer } from '../../fixtures/mail-server';
import { type InstalledProduct, installPacked } from '../../fixtures/packed-product';
import { ADMIN_TOKEN, OWNER_EMAIL, OWNER_PASSWORD, type Product, startProduct } from '../../fixtures/product';
import { isInstalled } from '../../fixtures/programs';
import { certificate } from '../../fixtures/tls-server';
import { giveAway, unprivileged } from '../../fixtures/unprivileged';

const MEBIBYTE = 2 ** 20;
let installed: InstalledProduct;
/** Where the server runs: empty, and all that its user may write to. */
let home: string;
let product: Product;
let mailServer: MailServer;
const own = isInstalled('openssl') ? certificate() : null;

beforeAll(async () => {
  installed = await installPacked();
  home = mkdtempSync(join(tmpdir(), 'sluice-home-'));
  giveAway(home);
  mailServer = await MailServer.start(own === null ? {} : { ...own, secure: true });
  const authority = join(installed.directory, 'authority.pem');
  if (own !== null) writeFileSync(authority, own.cert);
  product = await startProduct({
    entry: { command: unprivileged([executable(), 'serve']), cwd: home },
    env: {
      ...{ DATABASE_URL: '', HOME: home, PATH },
      SLUICE_SMTP_URL: own === null ? mailServer.url : `smtps://localhost:${mailServer.port}`,
      SLUICE_SMTP_FROM: 'sluice@example.com',
      ...(own === null ? {} : { NODE_EXTRA_CA_CERTS: authority }),
    },
  });
});
afterAll(async () => {
  await product?.stop();
  await mailServer?.go();
  for (const directory of [installed?.directory, home]) rmSync(directory, { recursive: true, force: true });
});

/** With the Node of the tests first. */
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
const executable = () => join(installed.prefix, 'bin', 'sluice');
const get = (path: string) => fetch(product.origin + path);

/** All files below a directory, relative to it. */
const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(directory, path)).isFile(),
  );

/** Runs the command as a user who owns nothing, in a directory that has nothing to do with it. */
function sluice(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const [program, ...args] = unprivileged([executable(), ...words]);
  const own = { SLUICE_URL: product.origin, SLUICE_TOKEN: ADMIN_TOKEN };
  const env = { PATH, HOME: home, ...own } as unknown as NodeJS.ProcessEnv;
  return spawnSync(program, args, { env, cwd: '/', encoding: 'utf8' });
}

describe('what npm pack makes, installed globally with production dependencies alone', () => {
  it('is small, and holds nothing of the machine that built it', () => {
    const files = filesIn(installed.prefix);
    const bytes = files.reduce((sum, path) => sum + statSync(join(installed.prefix, path)).size, 0);
    expect(bytes / MEBIBYTE).toBeLessThan(250);
    expect(files).toContain('lib/node_modules/sluice/dist/client/index.d.ts');
    expect(files.filter((path) => /(^|\/)\.env(?!\.example)|\/\.next\/cache\/|\.nft\.json$/.test(path))).toEqual([]);
  });

  it('serves as a user who may write to the working directory alone, where it keeps its data', () => {
    expect(readdirSync(home)).toEqual(['data']);
    expect(readdirSync(join(home, 'data'))).toContain('sluice.db');
    expect(product.output()).toContain('Sluice listens on');
  });

  it('has every page with its scripts, styles and fonts', async () => {
    const seen = new Set<string>();
    for (const path of ['/sign-in', '/docs', '/oauth', '/oauth/token', '/oauth/client']) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 200]);
      for (const [asset] of (await response.text()).matchAll(/\/_next\/static\/[\w./~-]+\.\w+/g)) seen.add(asset);
    }
    expect([...seen].some((path) => path.endsWith('.css'))).toBe(true);
    expect([...seen].some((path) => path.endsWith('.woff2'))).toBe(true);
    for (const path of seen) {
      const response = await fetch(product.origin + path, { headers: { 'Accept-Encoding': 'br' } });
      expect([path, response.status]).toEqual([path, 200]);
      if (/\.(js|css)$/.test(path)) expect(response.headers.get('content-encoding')).toBe('br');
    }
  });

  it('decides, describes itself, signs in, and limits', async () => {
    const decision = await product.admin('POST', '/v1/check', { class: 'read', ip: '203.0.113.1' });
    expect(await decision.json()).toMatchObject({ allowed: true, remaining: 99 });
    const openapi = (await (await get('/v1/openapi.json')).json()) as { openapi: string };
    expect(openapi.openapi).toMatch(/^3\.1/);
    const recipe = await product.admin('GET', '/v1/admin/gateways/nginx');
    expect([recipe.status, await recipe.text()]).toEqual([200, expect.stringContaining('auth_request')]);
    expect(await (await get('/auth/jwks')).json()).toHaveProperty('keys');
    expect((await signIn()).headers.getSetCookie().join()).toMatch(/session-token=/);
    const calls = Array.from({ length: 11 }, () => fetch(`${product.origin}/auth/token`, { method: 'POST' }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toContain(429);
  });

  it('sends mail, by a server whose authority it was given', async () => {
    const body = { name: 'Mail', url: 'mailto:ops@example.com', format: 'email' };
    const { id } = (await (await product.admin('POST', '/v1/admin/webhooks', body)).json()) as { id: string };
    const tested = await product.admin('POST', `/v1/admin/webhooks/${id}/test`);
    expect(await tested.json()).toMatchObject({ state: 'delivered', attempts: [{ status: 250 }] });
    expect(mailServer.received).toMatchObject([{ to: ['ops@example.com'], secure: own !== null }]);
  });

  it('brings the command line, which works anywhere', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(sluice('--version')).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect(sluice('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('allowlist') });
    expect(sluice('serve', '--help').stdout).toContain('Run the server here');
    const added = sluice('allowlist', 'add', '198.51.100.0/24', '--for', '1d', '--reason', 'Office move', '--json');
    expect([added.status, added.stderr]).toEqual([0, '']);
    expect(JSON.parse(sluice('allowlist', 'list', '--json').stdout)).toMatchObject([{ identifier: '198.51.100.0/24' }]);
    expect(sluice('state', 'pull').stdout).toContain('198.51.100.0/24');
    expect(sluice('doctor')).toMatchObject({ status: 0, stdout: expect.stringContaining('✓ versions') });
    const controls = sluice('oauth', 'controls', '--json');
    expect([controls.status, JSON.parse(controls.stdout).length]).toEqual([0, expect.any(Number)]);
  });
});

async function signIn(): Promise<Response> {
  const csrf = await get('/api/auth/csrf');
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const cookie = csrf.headers.getSetCookie().map((line) => line.split(';')[0]);
  return fetch(`${product.origin}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookie.join('; '), Origin: product.origin },
    body: new URLSearchParams({ csrfToken, email: OWNER_EMAIL, password: OWNER_PASSWORD }),
  });
}

describe('a clone with production dependencies alone', () => {
  it.each([
    ['without a build', null, 'Sluice is not built'],
    ['with a build of other sources', 'of others', 'The build is not of these sources'],
  ])('%s stops with what to do', (_, name, words) => {
    const clone = mkdtempSync(join(tmpdir(), 'sluice-clone-'));
    chmodSync(clone, 0o755);
    mkdirSync(join(clone, 'app'));
    mkdirSync(join(clone, '.next/standalone'), { recursive: true });
    if (name !== null) {
      writeFileSync(join(clone, '.next/standalone/SOURCES'), name);
      cpSync('.next/start.mjs', join(clone, '.next/start.mjs'));
    }
    for (const path of ['server', 'server.mjs']) cpSync(path, join(clone, path), { recursive: true });
    const { status, stderr, stdout } = spawnSync(process.execPath, ['server.mjs'], { cwd: clone, encoding: 'utf8' });
    rmSync(clone, { recursive: true });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(words);
    expect(stderr).toContain('npm ci --include=dev && npm run build');
  });
});
