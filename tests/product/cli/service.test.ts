import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLine } from '@/tests/fixtures/command-line';
import { freePort } from '@/tests/fixtures/free-port';
import { close, listen } from '@/tests/fixtures/listen';
import { ADMIN_TOKEN } from '@/tests/fixtures/product';
import { someone } from '@/tests/fixtures/product-suite';
import { product, sharedSuite } from '@/tests/fixtures/shared-suite';
import { until } from '@/tests/fixtures/until';

sharedSuite();

let sluice: Awaited<ReturnType<typeof commandLine>>;
beforeAll(async () => {
  sluice = await commandLine();
});
afterAll(() => sluice.remove());

const own = () => ({ SLUICE_URL: product.origin, SLUICE_TOKEN: ADMIN_TOKEN });
const run = (words: readonly string[], env: Record<string, string> = own()) => sluice.run(words, { env });

/** Asks until the address is refused, in the decisions of whose log it then is. */
const refuse = (ip: string) => {
  const checks = Array.from({ length: 12 }, () => ({ method: 'POST', path: '/auth/token', ip }));
  return product.admin('POST', '/v1/check/batch', checks);
};
const settings = () => join(sluice.home, 'sluice', 'config.json');

describe('sluice login', () => {
  test('keeps a token from stdin that the server takes, so that only this user can read it, and logout forgets it', async () => {
    const words = ['login', product.origin, '--token-stdin'];
    const { code, stdout } = await sluice.run(words, { input: `${ADMIN_TOKEN}\n` });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('(owner)') });
    expect(stdout).not.toContain(ADMIN_TOKEN);
    expect(statSync(settings()).mode & 0o777).toBe(0o600);
    expect(statSync(join(sluice.home, 'sluice')).mode & 0o777).toBe(0o700);
    expect((await run(['keys', 'list'], {})).code).toBe(0);
    expect((await run(['logout'], {})).stdout).toContain(`Forgot the token for ${product.origin}`);
    expect(readFileSync(settings(), 'utf8')).not.toContain(ADMIN_TOKEN);
    expect((await run(['keys', 'list', '--url', product.origin], {})).code).toBe(2);
  });

  test('shows nothing of a token that is typed', async () => {
    const env = { XDG_CONFIG_HOME: join(sluice.home, 'typed'), TERM: 'xterm' };
    const person = sluice.start(['login', product.origin], { env, atTerminal: true });
    await until(() => person.stdout().includes('Admin token for'));
    person.end(`${ADMIN_TOKEN}\r`);
    const { code, stdout } = await person.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('(owner)') });
    expect(stdout).not.toContain(ADMIN_TOKEN.slice(0, 8));
    expect(existsSync(join(env.XDG_CONFIG_HOME, 'sluice', 'config.json'))).toBe(true);
  });

  test('keeps nothing that the server does not take', async () => {
    const words = ['login', product.origin, '--token-stdin', '--json'];
    const wrong = await sluice.run(words, { input: 'no-token-of-this-server\n' });
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stderr)).toMatchObject({ error: 'unauthorized' });
    expect(readFileSync(settings(), 'utf8')).not.toContain('no-token-of-this-server');
    expect((await sluice.run(['login', product.origin])).code).toBe(2);
    expect(
      (await sluice.run(['login', `http://127.0.0.1:${await freePort()}`, '--token-stdin'], { input: 'a' })).code,
    ).toBe(3);
  });

  test('takes a token for gateways, which may not ask who it is', async () => {
    const made = await product.admin('POST', '/v1/admin/tokens', { name: 'gateway', role: 'gateway' });
    const { token } = (await made.json()) as { token: string };
    const { code, stdout } = await sluice.run(['login', product.origin, '--token-stdin'], { input: token });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('(gateway)') });
    await run(['logout'], {});
  });
});

describe('a secret of a body', () => {
  const PASSWORD = 'a password that nobody has typed before';
  const stateOf = async (email: string) => {
    const members = (await (await product.admin('GET', '/v1/admin/members')).json()) as Record<string, unknown>[];
    return members.find((member) => member.email === email)?.state;
  };
  const invite = (email: string) => ['members', 'invite', email, '--role', 'viewer', '--password'];

  test('is asked for at a terminal, twice where it is new, and never shown', async () => {
    const env = { ...own(), TERM: 'xterm' };
    for (const [email, again, code, state] of [
      ['twice@example.com', PASSWORD, 0, 'active'],
      ['mistyped@example.com', `${PASSWORD}!`, 2, undefined],
    ] as const) {
      const person = sluice.start(invite(email), { env, atTerminal: true });
      await until(() => person.stdout().includes('Password'));
      person.write(`${PASSWORD}\r`);
      await until(() => person.stdout().includes('Password, again'));
      person.end(`${again}\r`);
      const ended = await person.ended;
      expect(ended.code, ended.stdout).toBe(code);
      expect(ended.stdout).not.toContain(PASSWORD.slice(0, 10));
      expect(await stateOf(email)).toBe(state);
    }
  });

  test('comes from its variable or from stdin where nobody can be asked, and never from an argument', async () => {
    const words = invite('piped@example.com');
    const none = await run(words);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('Set SLUICE_PASSWORD')]);
    const typed = await run([...words, PASSWORD]);
    expect([typed.code, typed.stderr]).toEqual([2, expect.not.stringContaining(PASSWORD)]);
    expect((await run(words, { ...own(), SLUICE_PASSWORD: PASSWORD })).code).toBe(0);
    expect(await stateOf('piped@example.com')).toBe('active');
    const body = JSON.stringify({ email: 'stdin@example.com', role: 'viewer', password: PASSWORD });
    expect((await sluice.run(['members', 'invite', '--data', '-'], { env: own(), input: body })).code).toBe(0);
    expect(await stateOf('stdin@example.com')).toBe('active');
    // Needs the session of a browser: the server says so, after both passwords were taken from the environment.
    const passwords = { SLUICE_CURRENT_PASSWORD: PASSWORD, SLUICE_NEW_PASSWORD: PASSWORD };
    expect((await run(['account', 'password'], { ...own(), ...passwords })).code).toBe(1);
  });

  test('that stands where a name should is not sent to be looked up', async () => {
    const { code, stderr } = await run(['quota', 'get', 'slk_0123456789012345678901234567890123456789012']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Rotate it')]);
  });
});

describe('sluice decisions tail', () => {
  test('prints each decision as it happens, by filters, after the last ones, until Ctrl-C', async () => {
    const [early, late] = [someone(), someone()];
    await refuse(early);
    const words = ['decisions', 'tail', '--json', '--outcome', 'refused', '-n', '1', '--ip', early];
    const following = sluice.start(words, { env: own() });
    const people = sluice.start(['decisions', 'tail', '--class', 'auth', '--outcome', 'refused'], { env: own() });
    // The log is sampled, so one refusal may be missing from it.
    await until(async () => {
      await refuse(early);
      return following.stdout().includes(early);
    });
    await until(async () => {
      await refuse(late);
      await refuse(early);
      return people.stdout().includes(late) && following.stdout().trim().split('\n').length > 1;
    });
    for (const running of [following, people]) running.signal('SIGINT');
    const [{ code, stdout, stderr }, { stdout: lines }] = await Promise.all([following.ended, people.ended]);
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => {
        const decision = JSON.parse(line) as { id: number; ip: string };
        expect(decision.ip).toBe(early);
        return decision.id;
      });
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
    expect(lines).toMatch(/Z {2}refused {3}auth {7}ip \S+ {2}POST \/auth\/token {2}rate_limit_exceeded/);
  });

  test('goes on after the last decision when the connection breaks', async () => {
    const ip = someone();
    let broken = 0;
    const resumed: (string | undefined)[] = [];
    const relay = createServer((incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      resumed.push(headers['last-event-id'] as string | undefined);
      const passed = request({ host: '127.0.0.1', port: product.port, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('data', (data) => {
          outgoing.write(data);
          if (broken === 0 && String(data).includes('event: decision')) {
            broken += 1;
            setImmediate(() => outgoing.destroy());
            passed.destroy();
          }
        });
      });
      passed.on('error', () => undefined);
      passed.end();
    });
    const SLUICE_URL = `http://127.0.0.1:${await listen(relay)}`;
    const following = sluice.start(['decisions', 'tail', '--json', '--ip', ip], { env: { ...own(), SLUICE_URL } });
    await until(async () => {
      await refuse(ip);
      return broken > 0 && resumed.length > 1 && following.stdout().trim().split('\n').length > 2;
    });
    following.signal('SIGTERM');
    const { stdout } = await following.ended;
    await close(relay);
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids.map(String)).toContain(resumed[1]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('ends when the server refuses', async () => {
    expect((await run(['decisions', 'tail', '--type', 'nonsense'])).code).toBe(1);
    expect((await run(['decisions', 'tail', '-n', 'many'])).code).toBe(2);
    expect((await run(['decisions', 'tail'], { ...own(), SLUICE_TOKEN: 'wrong' })).code).toBe(1);
  });
});

describe('sluice audit', () => {
  test('exports the log, and verifies it here as the server does there', async () => {
    for (let index = 0; index < 3; index += 1)
      await product.admin('POST', '/v1/admin/rate-limit/allowlist', {
        type: 'ip',
        identifier: someone(),
        reason: 'Ünïcode',
      });
    const written = await run(['audit', 'export', '--output', 'audit.jsonl']);
    expect(written).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('to audit.jsonl') });
    const here = JSON.parse((await run(['audit', 'verify', '--file', 'audit.jsonl', '--json'], {})).stdout) as {
      head: { seq: number; hash: string };
    };
    const there = JSON.parse((await run(['audit', 'verify', '--json'])).stdout);
    expect(here).toMatchObject({ ...there, first_seq: 1 });
    expect(there).toMatchObject({ valid: true });

    const head = ['--head', here.head.hash, '--seq', String(here.head.seq)];
    expect((await run(['audit', 'verify', ...head])).stdout).toContain('Whole: ');
    const file = join(sluice.home, 'audit.jsonl');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(file, lines.slice(1).join('\n'));
    const cut = await run(['audit', 'verify', '--file', 'audit.jsonl', ...head], {});
    expect(cut).toMatchObject({ code: 1, stdout: expect.stringContaining('the log ends before it') });
    writeFileSync(file, lines.join('\n').replace('Ünïcode', 'Unicode'));
    expect(await run(['audit', 'verify', '--file', 'audit.jsonl'], {})).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('was altered'),
    });
  });

  test('exports CSV of some changes to stdout', async () => {
    const { code, stdout } = await run(['audit', 'export', '--format', 'csv', '--action', 'token']);
    expect(code).toBe(0);
    const [heading, ...rows] = stdout.trim().split('\r\n');
    expect(heading).toMatch(/^seq,at,actor,/);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toContain('token.');
  });
});
