import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { commandLine } from '@/tests/fixtures/command-line';
import { mcpServer } from '@/tests/fixtures/mcp-server';
import { CLIENTS, type OidcServer, oidcServer, person, REDIRECT_URI, SCOPE } from '@/tests/fixtures/oidc-server';
import { until } from '@/tests/fixtures/until';

let sluice: Awaited<ReturnType<typeof commandLine>>;
let server: OidcServer;
beforeAll(async () => {
  sluice = await commandLine();
  writeFileSync(join(sluice.home, 'notes.txt'), 'No report.');
  server = await oidcServer({ consent: 'ask', weakened: true });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  sluice.remove();
});

const read = (name: string) => readFileSync(join(sluice.home, name), 'utf8');
const failedIn = ({ findings }: Pick<AssessmentReport, 'findings'>) =>
  findings.filter(({ verdict }) => verdict === 'failed').map(({ control }) => control);

/** Writes a configuration file into a folder of its own. */
function configuration(text: string, name = 'assess.yaml'): string {
  mkdirSync(join(sluice.home, 'ci'), { recursive: true });
  writeFileSync(join(sluice.home, 'ci', name), text);
  return `ci/${name}`;
}

describe('sluice oauth assess lab', () => {
  it('runs without a server, tells people what failed, and ends with 5 for what is severe enough', async () => {
    const words = ['oauth', 'assess', 'lab', '--off', 'require-pkce', '--fail-on', 'high'];
    const { code, stdout, stderr } = await sluice.run([...words, '--format', 'json', '--output', 'lab.json']);
    expect(code).toBe(5);
    expect(stderr).toBe('1 failure at or above high: require-pkce\n');
    expect(stdout).toContain('Grade F: 1 failed');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('sluice oauth assess, at a server', () => {
  const target = () => `
issuer: ${server.issuer}
client: {client_id: ${CLIENTS.main}, redirect_uri: '${REDIRECT_URI}'}
other_client: {client_id: ${CLIENTS.other}, redirect_uri: '${REDIRECT_URI}', authentication: post, secret: {env: OTHER_SECRET}}
scope: ${SCOPE}
resource: {url: '${server.resource}', scope: read}
allow: [127.0.0.0/8]
`;

  it('judges it by a configuration file and the cookie of the environment', async () => {
    const cookie = await server.signIn();
    const env = { OTHER_SECRET: CLIENTS.secret, SESSION: cookie };
    const words = [
      'oauth',
      'assess',
      '--config',
      configuration(target()),
      '--cookie-env',
      'SESSION',
      '--fail-on',
      'high',
    ];
    const first = await sluice.run([...words, '--format', 'json', '--output', 'first.json'], { env });
    expect(first.code).toBe(5);
    const report = JSON.parse(read('first.json')) as AssessmentReport;
    expect(failedIn(report)).toEqual(
      expect.arrayContaining(['require-pkce', 'strict-redirect-uri', 'refresh-rotation']),
    );
    expect(report).toMatchObject({ state: 'finished', target: server.issuer, kind: 'server' });
    const everything = read('first.json') + first.stdout + first.stderr;
    for (const secret of [CLIENTS.secret, ...cookie.split('; ').map((pair) => pair.replace(/^[^=]*=/, ''))])
      expect(everything).not.toContain(secret);
  });

  it('counts only what is new since a baseline, which may be of another target', async () => {
    writeFileSync(
      join(sluice.home, 'earlier.json'),
      read('lab.json').replaceAll('"verdict": "passed"', '"verdict": "failed"'),
    );
    const words = ['oauth', 'assess', server.issuer, '--allow', '127.0.0.1', '--fail-on', 'low'];
    const again = await sluice.run([...words, '--baseline', 'earlier.json']);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('0 new') });
  });

  it('does not compare with a baseline by a cookie that is no longer signed in', async () => {
    const words = ['oauth', 'assess', server.issuer, '--allow', '127.0.0.1', '--fail-on', 'low', '--scope', SCOPE];
    const client = ['--client-id', CLIENTS.main, '--redirect-uri', REDIRECT_URI, '--cookie-env', 'COOKIE'];
    const env = { COOKIE: '_session=of-yesterday' };
    const run = await sluice.run([...words, ...client, '--baseline', 'earlier.json'], { env });
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('Get a new cookie for each assessment') });
  });

  it('takes the pasted address where the redirect URI is elsewhere, and says what is wrong with another', async () => {
    const words = ['oauth', 'assess', '--config', configuration(target()), '--login', 'browser', '--json'];
    const running = sluice.start(
      words.filter((word) => word !== '--json'),
      { env: { OTHER_SECRET: CLIENTS.secret } },
    );
    await until(() => running.stderr().includes('Paste the address'));
    const [, url = ''] = /\n {2}(http\S+)\n/.exec(running.stderr()) ?? [];
    running.write('https://elsewhere.example/?code=1\n');
    await until(() => running.stderr().includes('It is not the redirect URI of the client'));
    running.write(`${await person(server.issuer).visit(url)}\n`);
    await until(() => running.stderr().split('Paste the address').length === 4);
    running.end('\n\n\n');
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^127\.0\.0\.1:\d+ /);
  });

  it.each([
    ['sarif', /"version": "2\.1\.0"/],
    ['junit', /^<\?xml/],
    ['markdown', /^# /],
    ['html', /^<!doctype html>/],
    ['json', /^\{\n {2}"/],
  ])('writes %s', async (format, beginning) => {
    const file = `report.${format}`;
    const words = ['oauth', 'assess', server.issuer, '--allow', '127.0.0.1', '--format', format, '--output', file];
    const { code, stdout } = await sluice.run(words);
    expect(code).toBe(0);
    expect(read(file)).toMatch(beginning);
    expect(stdout).toContain('0 failed');
  });

  it('finds the authorization server of an MCP server by its address', async () => {
    await using mcp = await mcpServer(server.issuer);
    const { code, stdout } = await sluice.run(['oauth', 'assess', mcp.url, '--allow', '127.0.0.1', '--json']);
    const report = JSON.parse(stdout) as AssessmentReport;
    expect({ code, target: report.target }).toEqual({ code: 0, target: mcp.url });
    expect(report.summary.passed).toBeGreaterThan(5);
  });

  it.each([1, 3])('stops at Ctrl-C with what it has found, at request %i', async (count) => {
    let requests = 0;
    const before = () => {
      requests += 1;
      return false;
    };
    await using observed = await oidcServer({ consent: 'ask', before });
    const text = `{issuer: '${observed.issuer}', allow: [127.0.0.0/8], requests_per_second: 1, login: none}`;
    const slow = configuration(text, 'slow.yaml');
    const running = sluice.start(['oauth', 'assess', '--config', slow, '--json', '--output', 'stopped.json']);
    // The first request comes after the handler of the signal; at one request a second, the end is minutes away.
    await until(() => requests >= count);
    running.signal('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(JSON.parse(read('stopped.json'))).toMatchObject({ state: 'stopped', summary: { grade: null } });
  });

  it.each([
    [['oauth', 'assess'], 2, 'Nothing to assess is named.'],
    [['oauth', 'assess', 'lab', '--format', 'pdf'], 2, 'pdf'],
    [['oauth', 'assess', '--config', 'none.yaml'], 2, 'none.yaml cannot be read (ENOENT).'],
    [['oauth', 'assess', 'lab', '--output', 'no/folder/x'], 2, 'no/folder/x cannot be written (ENOENT).'],
    [['oauth', 'assess', 'lab', '--baseline', 'notes.txt'], 2, 'is not JSON'],
    [['oauth', 'assess', 'http://127.0.0.1:1'], 3, 'No control could be decided.'],
  ])('%j ends with %s', async (words, code, said) => {
    const ran = await sluice.run([...words, '--json']);
    expect(ran.code).toBe(code);
    expect(JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error_description: expect.stringContaining(said),
    });
  });
});

describe('the engine of the assessments', () => {
  it('lists its controls without a server', async () => {
    const { code, stdout } = await sluice.run(['oauth', 'controls', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).length).toBeGreaterThan(100);
  });

  it('is loaded by no other command', () => {
    const folder = join(process.cwd(), 'dist', 'cli');
    const loaded = new Set<string>();
    const load = (name: string): string => {
      if (loaded.has(name)) return '';
      loaded.add(name);
      const source = readFileSync(join(folder, name), 'utf8');
      const imported = [...source.matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g)].map(([, found = '']) =>
        load(found),
      );
      return source + imported.join('');
    };
    const all = load('main.js');
    expect(all).not.toContain('ZodError');
    expect(all).not.toContain('code_challenge');
  });
});
