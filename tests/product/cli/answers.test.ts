import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { someone } from '../../fixtures/product-suite';
import { newKey, product, sharedSuite } from '../../fixtures/shared-suite';
import { sluice } from '../../fixtures/sluice';

sharedSuite();

const run = (words: readonly string[], options = {}) => sluice(product.origin, words, options);
const json = async (words: readonly string[]) => JSON.parse((await run([...words, '--json'])).stdout);

describe('sluice check', () => {
  test('ends with 0 when it is allowed and 1 when a limit refuses, and takes a key from the environment', async () => {
    const words = ['check', '--class', 'auth', '--ip', someone()];
    expect(await run(words)).toMatchObject({ code: 0, stdout: expect.stringContaining('Allowed.'), stderr: '' });
    await run([...words, '--cost', '9']);
    expect(await run(words)).toMatchObject({ code: 1, stdout: expect.stringContaining('Refused: '), stderr: '' });
    const { id, secret } = await newKey();
    const env = { SLUICE_API_KEY: secret };
    const withKey = await run(['check', '--class', 'read'], { env });
    expect(withKey).toMatchObject({ code: 0, stderr: 'With the API key in SLUICE_API_KEY.\n' });
    expect(withKey.stdout).toMatch(/quota\.reset +\d{4}-\d\d-01T/);
    expect(await json(['quota', 'get', id])).toMatchObject({ usage: 1 });
  });

  test('names the allowlist entry that bypasses, and how a range is stored', async () => {
    const added = await run(['allowlist', 'add', '192.0.2.130/25', '--for', '1d', '--reason', 'Fair']);
    expect(added.stderr).toContain('Stored as 192.0.2.128/25.');
    const { stdout } = await run(['check', '--class', 'read', '--ip', '192.0.2.200']);
    expect(stdout).toMatch(/On the allowlist as 192\.0\.2\.128\/25 until .*: Fair/);
  });

  test('says each thing that is missing once', async () => {
    const { stderr } = await run(['check']);
    expect(stderr.match(/method is required/g)).toHaveLength(1);
  });
});

test('an API key in place of a token is called one', async () => {
  const { secret } = await newKey();
  const { code, stderr } = await run(['keys', 'list'], { env: { SLUICE_TOKEN: secret } });
  expect([code, stderr]).toEqual([2, expect.stringContaining('That is an API key, not an admin token.')]);
  const { status, headers } = await fetch(`${product.origin}/v1/admin/api-keys`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('invalid_token')]);
});

test('a key is revoked by its whole name only, and then is said to be revoked', async () => {
  const { id } = await newKey({ name: 'Whole name' });
  expect((await run(['keys', 'revoke', 'whole'])).code).toBe(2);
  expect((await run(['keys', 'revoke', 'Whole name', '--dry-run'])).stdout).toContain('api_key.revoke Whole name');
  expect((await run(['keys', 'revoke', 'Whole name'])).stderr).toContain('Revoked Whole name.');
  expect((await run(['quota', 'get', 'Whole'])).stderr).toMatch(/The API key Whole name was revoked at 20/);
  expect((await run(['quota', 'get', id])).stderr).toMatch(/This API key was revoked at 20/);
  expect(await json(['keys', 'get', 'Whole'])).toMatchObject({ id });
});

describe('rules', () => {
  test('of routes are previewed, and changed in what is named', async () => {
    const rule = ['routes', 'set', 'GET', '/exports/*'];
    const made = await run([...rule, '--class', 'sensitive', '--cost', '2']);
    expect(made.stderr).toContain('/exports/* does not match /exports itself');
    expect(await run([...rule, '--cost', '3', '--dry-run'])).toMatchObject({
      stdout: expect.stringContaining('+ method: GET, path: /exports/*, class: sensitive, cost: 3'),
    });
    await run([...rule, '--cost', '3']);
    const rules = await json(['routes', 'list']);
    expect(rules[0]).toEqual({ method: 'GET', path: '/exports/*', class: 'sensitive', cost: 3 });
    expect((await run(['routes', 'set', 'GET', '/new', '--cost', '3'])).code).toBe(2);
    await run(['routes', 'remove', 'GET', '/exports/*', '--dry-run']);
    expect(await json(['routes', 'get'])).toEqual(rules);
    await run(['routes', 'remove', 'GET', '/exports/*']);
  });

  test('of policies are told by what changed', async () => {
    const words = ['policies', 'set', '--classes.lab.ip.limit', '299'];
    expect((await run(words)).stdout).toBe('classes.lab.ip.limit: 300 -> 299\n');
    expect(await run(words)).toMatchObject({ stdout: 'It was so already.\n', stderr: '' });
  });
});

describe('a state file', () => {
  test('is applied only when that is confirmed, with how to take it back', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-state-'));
    const file = join(directory, 'rules.yaml');
    const entry = (ip: string) => `  - {type: ip, identifier: ${ip}, reason: Office}\n`;
    writeFileSync(file, `version: 1\nallowlist:\n${entry('10.9.0.1')}${entry('10.9.0.2')}`);
    await run(['allowlist', 'add', '10.9.0.3', '--reason', 'x']);
    expect((await run(['state', 'plan', file])).stderr).toContain('left as it is without --prune: allowlist ip');
    const asked = await run(['state', 'apply', file]);
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringContaining('This changes the rules, and there is no terminal'),
    ]);
    const { stderr } = await run(['state', 'apply', file, '--yes']);
    const [, last, first] =
      /undo: for seq in \$\(seq (\d+) -1 (\d+)\); do sluice audit undo \$seq; done/.exec(stderr) ?? [];
    expect(Number(last)).toBe(Number(first) + 1);
    expect((await run(['audit', 'undo', last ?? ''])).code).toBe(0);
    expect((await run(['state', 'pull', file])).stderr).toContain('is there already, and there is no terminal to ask');
    rmSync(directory, { recursive: true });
  });

  test('has its unknown members named, each once and with its line', async () => {
    const input =
      'version: 1\nallowlist:\n  - {type: ip, identifier: 10.9.0.4, reason: x, expire: never}\npolicie: {}\n';
    const { stderr } = await run(['state', 'plan', '-'], { stdin: input });
    expect(stderr).toContain('\n  allowlist.0.expire (line 3) is not known\n  policie (line 4) is not known\n');
  });

  test('that names a revoked key says so', async () => {
    const { id } = await newKey({ name: 'Came back' });
    await run(['keys', 'revoke', id]);
    const stdin = 'version: 1\napi_keys:\n  - {name: Came back, tier: free}\n';
    const { code, stdout } = await run(['state', 'plan', '-'], { stdin });
    expect([code, stdout]).toEqual([
      4,
      expect.stringMatching(/A key of this name was revoked at 20.*\. This is another key/),
    ]);
  });
});

test('no help is wider than a terminal', async () => {
  for (const words of [[], ['policies', 'set'], ['check'], ['quota', 'own'], ['decisions', 'list']]) {
    const { stdout } = await run([...words, '--help']);
    for (const line of stdout.split('\n').filter((one) => !/^ {2}(if )?(SLUICE_|sluice )/.test(one)))
      expect(line.length, line).toBeLessThanOrEqual(80);
  }
});
