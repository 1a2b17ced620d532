import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import manifest from '@/package.json';

const scripts = Object.values(manifest.scripts).flatMap((script) => script.match(/\S+\.mjs/g) ?? []);
/** What a person starts: the scripts of the package, the command line, and the server of a container. */
const programs = [...new Set([...scripts, ...Object.values(manifest.bin), '.next/standalone/server.mjs'])];

const run = (program: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
};

describe.each(programs)('%s', (program) => {
  it.each(['--help', '-h'])('explains itself with %s, and does nothing else', (flag) => {
    const help = run(program, flag);
    expect(help).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^Usage: .*\n\n/) });
    expect(help.stdout).toContain('--help');
  });

  it('refuses an unknown option, and names it', () => {
    const refused = run(program, '--hlep');
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('--hlep') });
    expect(refused.stderr).toContain('--help');
  });
});

describe.each(['server.mjs', '.next/standalone/server.mjs'])('%s', (program) => {
  it.each(['--version', '-V'])('prints its version with %s', (flag) => {
    expect(run(program, flag)).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });

  it.each([
    [['help'], "'help'"],
    [['--migrate', 'ada@example.com'], "'ada@example.com'"],
    [['--reset-owner', 'ada@example.com', 'eve@example.com'], "'eve@example.com'"],
    [['--second-factor'], '--reset-owner'],
    [['--migrate', '--reset-owner'], '--reset-owner'],
    [['--migrate=yes'], '--migrate'],
    [['-p', '8000'], '-p'],
  ])('refuses %j', (args, named) => {
    expect(run(program, ...args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(named) });
  });
});
