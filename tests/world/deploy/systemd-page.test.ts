import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBuildState } from '../../../server/build';
import { containersAreMissing, RootOverlay } from '../../fixtures/container';
import { blocksOf } from '../../fixtures/doc-commands';
import { freePort } from '../../fixtures/free-port';

const PAGE = 'docs/deploy-systemd.md';
const suite = 'the page about systemd';
/** Where the page is followed: the clone with its build. */
const CLONE = '/root/sluice';

describe.skipIf(containersAreMissing(suite))(suite, () => {
  let machine: RootOverlay;
  let output: string[];
  let status: number | null;
  const inside = (path: string) => join(machine.root, path);

  beforeAll(async () => {
    expect(readBuildState(process.cwd())).toBe('current');
    machine = RootOverlay.mount() as RootOverlay;
    for (const name of ['.next/standalone', 'deploy', '.env.example', 'tests/fixtures/systemd-shell.sh'])
      cpSync(name, inside(join(CLONE, name)), { recursive: true });
    if (!existsSync(inside('/usr/bin/node'))) symlinkSync(process.execPath, inside('/usr/bin/node'));
    mkdirSync(inside('/run'), { recursive: true });
    const blocks = blocksOf(PAGE).filter(({ language, notRun }) => language === 'sh' && notRun === null);
    const script = blocks.map(({ line, text }) => `printf '\\n@@ %s\\n' ${line}; cd ${CLONE}\n${text}`).join('\n');
    const prelude = `. ${CLONE}/tests/fixtures/systemd-shell.sh\ntrap stop_unit EXIT`;
    const env = { PATH: process.env.PATH, HOME: '/root', TEST_PORT: String(await freePort()) };
    const [program, ...args] = machine.command(['bash', '-c', `exec 2>&1\n${prelude}\n${script}`]);
    const run = spawnSync(program, args, {
      env: env as unknown as NodeJS.ProcessEnv,
      encoding: 'utf8',
    });
    status = run.status;
    output = run.stdout.split(/^@@ \d+\n/m);
  });
  afterAll(() => machine?.[Symbol.dispose]());

  it('has commands that run as they stand', () => {
    expect([status, output.at(-1)]).toEqual([0, expect.any(String)]);
    const blocks = blocksOf(PAGE).filter(({ language, notRun }) => language === 'sh' && notRun === null);
    for (const [index, { prints }] of blocks.entries())
      if (prints !== null) expect(output[index + 1]).toContain(prints);
  });

  it('hides no command from that', () => {
    expect(blocksOf(PAGE).filter(({ language, notRun }) => language === '' || notRun !== null)).toEqual([]);
  });

  it('leaves a database that its user alone can read, and a service that its user cannot change', () => {
    const owner = statSync(inside('/var/lib/sluice')).uid;
    expect(readFileSync(inside('/etc/passwd'), 'utf8')).toMatch(new RegExp(`^sluice:x:${owner}:`, 'm'));
    for (const name of ['data/sluice.db', 'data/auth-secret', 'backup.db']) {
      const { uid, mode } = statSync(inside(join('/var/lib/sluice', name)));
      expect([name, uid, mode & 0o077]).toEqual([name, owner, 0]);
    }
    expect(statSync(inside('/opt/sluice-1/server.mjs')).uid).toBe(0);
    expect(statSync(inside('/etc/sluice.env')).mode & 0o077).toBe(0);
  });
});
