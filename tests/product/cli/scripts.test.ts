import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { close, listen } from '../../fixtures/listen';
import { ADMIN_TOKEN } from '../../fixtures/product';
import { someone } from '../../fixtures/product-suite';
import { newKey, product, sharedSuite } from '../../fixtures/shared-suite';
import { sluice } from '../../fixtures/sluice';

sharedSuite();

const run = (words: readonly string[], options = {}) => sluice(product.origin, words, options);
const json = async (words: readonly string[], options = {}) => {
  const { code, stdout, stderr } = await run([...words, '--json'], options);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout);
};

describe('the credential', () => {
  test('comes from the environment or from stdin', async () => {
    const env = { SLUICE_TOKEN: undefined };
    expect((await run(['keys', 'list', '--token-stdin'], { env, stdin: `${ADMIN_TOKEN}\n` })).code).toBe(0);
    expect(await run(['keys', 'list', '--json'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"error":"invalid_usage"'),
    });
    expect(await run(['keys', 'list', '--json'], { env: { SLUICE_TOKEN: 'wrong' } })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('"error":"unauthorized"'),
    });
  });

  test('is never an argument', async () => {
    const { code, stderr } = await run(['keys', 'list', '--token', ADMIN_TOKEN]);
    expect(code).toBe(2);
    expect(stderr).toContain('--token-stdin');
    expect(stderr).not.toContain(ADMIN_TOKEN);
  });

  test('of a settings file goes to its own server only', async () => {
    const home = mkdtempSync(join(tmpdir(), 'sluice-config-'));
    const env = { SLUICE_TOKEN: undefined, SLUICE_URL: undefined, XDG_CONFIG_HOME: home };
    mkdirSync(join(home, 'sluice'));
    const settings = { url: product.origin, servers: { [product.origin]: { token: ADMIN_TOKEN } } };
    writeFileSync(join(home, 'sluice', 'config.json'), JSON.stringify(settings), { mode: 0o600 });
    expect((await run(['keys', 'list'], { env })).code).toBe(0);
    const other = await run(['keys', 'list', '--url', product.origin.replace('127.0.0.1', 'localhost')], { env });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('There is no token.');
  });
});

describe('exit codes', () => {
  test('1: the server refuses, and says which member is wrong', async () => {
    const refused = await run(['allowlist', 'add', '10.0.0.1', '--until', '2020-01-01', '--reason', 'x', '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stderr)).toMatchObject({
      error: 'invalid_request',
      details: [{ path: 'expires_at' }],
    });
    expect((await run(['quota', 'get', 'no-such-key'])).code).toBe(1);
  });

  test.each([
    [['keys', 'nonsense']],
    [['nonsense']],
    [['keys', 'create', '--name', 'x']],
    [['keys', 'create', '--name', 'x', '--tier', 'gold']],
    [['allowlist', 'add', '10.0.0.1', '--for', 'ever', '--reason', 'x']],
    [['allowlist', 'add', '10.0.0.999', '--reason', 'x']],
    [['allowlist', 'add', '10.0.0.1', '--for', '1d', '--until', '2030-01-01', '--reason', 'x']],
    [['keys', 'list', '--all', '--limit', '3']],
    [['routes', 'set', '--data', 'no-such-file.json']],
    [['routes', 'set', '--data', '-']],
    [['keys', 'rotate', '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69']],
  ])('2: wrong usage: %j', async (words) => {
    const { code, stdout, stderr } = await run(words);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: /);
    expect(code).toBe(2);
  });

  test('3: nothing answers there, or something else does', async () => {
    const gone = await run(['keys', 'list', '--json', '--url', 'http://127.0.0.1:9']);
    expect(gone.code).toBe(3);
    expect(JSON.parse(gone.stderr)).toMatchObject({ error: 'unreachable' });
  });
});

describe('a list', () => {
  test('is one array of what the API has, however many pages it came in', async () => {
    for (let count = 0; count < 5; count += 1) await newKey({ name: `page ${count}` });
    const all = await json(['keys', 'list', '--q', 'page', '--all']);
    expect(all).toEqual(await (await product.admin('GET', '/v1/admin/api-keys?q=page')).json());
    expect((await run(['keys', 'list', '--q', 'page', '--limit', '2', '--json'])).stdout).toBe(
      `[\n${all
        .slice(0, 2)
        .map((key: object) => JSON.stringify(key))
        .join(',\n')}\n]\n`,
    );
    const { stdout, stderr } = await run(['keys', 'list', '--q', 'page', '--limit', '2']);
    expect(stdout.trim().split('\n')).toHaveLength(3);
    expect(stderr).toContain('--all');
    expect(await json(['keys', 'list', '--q', 'nobody has this name'])).toEqual([]);
  });

  test('can be a download', async () => {
    const { stdout } = await run(['keys', 'list', '--q', 'page', '--format', 'csv']);
    expect(stdout).toMatch(/^id,name,/);
  });

  test('has exact times and nothing cut in a pipe', async () => {
    const name = 'A key with a name that is longer than the eighty columns of the usual terminal window has';
    await newKey({ name });
    const { stdout } = await run(['keys', 'list', '--q', name]);
    expect(stdout).toContain(name);
    expect(stdout).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/);
    expect(stdout).not.toContain('\u001b');
  });
});

describe('operations', () => {
  test('a key is made, used by its name, and revoked', async () => {
    const made = await json(['keys', 'create', '--name', 'Reports', '--tier', 'starter', '--no-overage']);
    expect(made).toMatchObject({ name: 'Reports', tier: 'starter', secret: expect.any(String) });
    expect(await json(['quota', 'get', 'Repo'])).toMatchObject({ api_key_id: made.id, limit: 10_000 });
    expect(await json(['quota', 'tier', made.prefix, 'business', '--reason', 'Growth'])).toMatchObject({
      tier: 'business',
    });
    const grant = ['grants', 'add', 'Reports', '--requests', '5000', '--for', '30d', '--reason', 'Migration'];
    expect(await json(grant)).toMatchObject({ api_key: made.id, requests: 5_000 });
    expect(await json(['limits', 'explain', '--class', 'read', '--key', 'Reports'])).toMatchObject({ class: 'read' });
    expect(await json(['check', '--class', 'read', '--key', 'Reports'])).toMatchObject({ allowed: true });
    expect(await json(['quota', 'own'], { env: { SLUICE_API_KEY: made.secret } })).toMatchObject({ usage: 1 });
    await newKey({ name: 'Reports, nightly' });
    expect((await run(['quota', 'get', 'Rep'])).stderr).toContain('Several match: ');
    const revoked = await run(['keys', 'revoke', 'Reports', '--reason', 'Leaked']);
    expect(revoked).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/undo: sluice audit undo \d+/),
    });
    const [record] = await json(['audit', 'list', '--action', 'api_key.revoke']);
    expect(record).toMatchObject({ target_name: 'Reports', reason: 'Leaked' });
  });

  test('a route is limited, and the rules are a file', async () => {
    const rule = ['--class', 'sensitive', '--cost', '5', '--reason', 'Money'];
    await json(['routes', 'set', 'post', '/api/transfers', ...rule]);
    expect((await run(['routes', 'test', 'POST', '/api/transfers?x=1'])).stdout).toContain('class sensitive, cost 5');
    const rules = await json(['routes', 'set', 'GET', '/api/*', '--class', 'write', '--last']);
    expect(rules.map(({ path }: { path: string }) => path)).toEqual(['/api/transfers', '/api/*']);
    const stdin = JSON.stringify(rules.slice(1));
    expect(await json(['routes', 'set', '--data', '-'], { stdin })).toHaveLength(1);
    expect(await json(['routes', 'remove', 'GET', '/api/*'])).toEqual([]);
    expect((await run(['routes', 'remove', 'GET', '/api/*'])).code).toBe(1);
  });

  test('policies are changed member by member', async () => {
    const changed = await json(['policies', 'set', '--classes.auth.ip.window_seconds', '90', '--reason', 'A test']);
    expect(changed.classes.auth.ip).toEqual({ limit: 10, window_seconds: 90 });
    const data = '{"classes":{"auth":{"ip":{"limit":30}}}}';
    const both = await json(['policies', 'set', '--data', data, '--tiers.free', '2_000']);
    expect(both).toMatchObject({ classes: { auth: { ip: { limit: 30 } } }, tiers: { free: 2_000 } });
  });

  test('counters of a caller are cleared, an override is set', async () => {
    const ip = someone();
    await json(['check', '--class', 'read', '--ip', ip]);
    expect((await run(['limits', 'reset', ip, '--reason', 'Shared'])).code).toBe(0);
    const [read] = (await json(['limits', 'inspect', ip])).counters.filter(
      (counter: { class: string }) => counter.class === 'read',
    );
    expect(read.used).toBe(0);
    const words = ['overrides', 'set', 'alice', '--class', 'read', '--limit', '7', '--window', '60', '--reason', 'x'];
    expect(await json(words)).toMatchObject({ type: 'user_id', identifier: 'alice', limit: 7, expires_at: null });
    expect(await json(['allowlist', 'add', '10.0.0.7', '--user', '--never', '--reason', 'x'])).toMatchObject({
      identifier: '10.0.0.7',
    });
    const entries: { type: string; identifier: string }[] = await json(['allowlist', 'list']);
    expect(entries.filter(({ identifier }) => identifier === '10.0.0.7').map(({ type }) => type)).toEqual(['user_id']);
  });
});

describe('as a process', () => {
  const launch = (words: string[]) =>
    spawn(process.execPath, [resolve('bin', 'sluice.mjs'), ...words], {
      env: { ...process.env, SLUICE_URL: product.origin, SLUICE_TOKEN: ADMIN_TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  test('it is quiet when its reader has seen enough', async () => {
    const child = launch(['service', 'openapi']);
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('a list whose reader has seen enough ends quietly, for a shell that looks at every exit code', async () => {
    const allowlist = Array.from({ length: 2_000 }, (_, index) => ({
      ...{ type: 'user_id', identifier: `user ${index}`, reason: 'A reason that is long enough to fill a pipe' },
    }));
    expect((await product.admin('PUT', '/v1/admin/state', { version: 1, allowlist })).status).toBe(200);
    for (const format of ['--json', '--limit 2000', '--format csv']) {
      const list = `'${process.execPath}' '${resolve('bin', 'sluice.mjs')}' allowlist list --all ${format}`;
      const script = `${list.replace('--all --limit', '--limit')} | head -1; echo "\${PIPESTATUS[*]}"`;
      const child = spawn('bash', ['-c', script], {
        env: { ...process.env, SLUICE_URL: product.origin, SLUICE_TOKEN: ADMIN_TOKEN },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (text) => (stdout += text));
      child.stderr.on('data', (text) => (stderr += text));
      await once(child, 'close');
      expect([format, stdout.trimEnd().split('\n').at(-1), stderr]).toEqual([format, '0 0', '']);
    }
  });

  test('it ends with 130 when it is interrupted', async () => {
    const silent = createServer();
    const url = `http://127.0.0.1:${await listen(silent)}`;
    const child = launch(['keys', 'list', '--url', url]);
    await once(silent, 'request');
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
    await close(silent);
  });

  test('it completes commands, options and values', async () => {
    const complete = async (...words: string[]) => (await run(['complete', '--', ...words])).stdout;
    expect(await complete('allow')).toContain('allowlist\t');
    expect(await complete('keys', '')).toContain('rotate\t');
    expect(await complete('keys', 'list', '--exp')).toContain('--expires-within\t');
    expect(await complete('quota', 'tier', 'Reports', '')).toContain('business');
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect((await run(['completion', shell])).stdout).toContain('sluice complete --');
    }
  });

  test('a remote command loads itself and nothing of the server', async () => {
    const loaded = async (...words: string[]) => {
      const coverage = mkdtempSync(join(tmpdir(), 'sluice-loaded-'));
      expect((await run(words, { env: { NODE_V8_COVERAGE: coverage } })).code).toBe(0);
      const urls = readdirSync(coverage).flatMap((name) => {
        const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as { result: { url: string }[] };
        return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
      });
      rmSync(coverage, { recursive: true });
      return urls.map((url) => ({ file: relative('.', fileURLToPath(url)), code: readFileSync(new URL(url), 'utf8') }));
    };
    for (const [words, most] of [
      [['--version'], 5_000],
      [['--help'], 125_000],
      [['keys', 'list'], 200_000],
    ] as const) {
      const scripts = await loaded(...words);
      expect(scripts.length).toBeGreaterThan(1);
      for (const { file } of scripts) expect(file).toMatch(/^(bin|dist[/]cli)[/]/);
      const code = scripts.map((script) => script.code).join('\n');
      expect(code).not.toMatch(/ZodError|drizzle|libsql|@clack/);
      expect(code.length, words.join(' ')).toBeLessThan(most);
    }
  });
});
