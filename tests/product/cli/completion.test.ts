import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN } from '@/tests/fixtures/product';
import { partsAreMissing } from '@/tests/fixtures/programs';
import { newKey, product, sharedSuite } from '@/tests/fixtures/shared-suite';
import { sluice } from '@/tests/fixtures/sluice';
import { until } from '@/tests/fixtures/until';

sharedSuite();

/** How each shell starts without the files of this user, and what a user writes into them. */
const SHELLS = {
  bash: { start: 'bash --norc --noprofile -i', set: 'PS1="> "', read: 'eval "$(sluice completion bash)"' },
  zsh: {
    start: 'zsh -f -i',
    set: 'PS1="> "; autoload -U compinit; compinit -D',
    read: 'source <(sluice completion zsh)',
  },
};

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-completion-'));
  symlinkSync(resolve('bin', 'sluice.mjs'), join(folder, 'sluice'));
  writeFileSync(join(folder, 'rules-of-ours.yaml'), 'version: 1\n');
  await newKey({ name: 'Invoices' });
  await newKey({ name: 'Nightly export' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const environment = () =>
  ({
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    HOME: folder,
    TERM: 'xterm',
    SLUICE_URL: product.origin,
    SLUICE_TOKEN: ADMIN_TOKEN,
  }) as unknown as NodeJS.ProcessEnv;

const shellIsMissing = (shell: 'bash' | 'fish' | 'zsh'): boolean => partsAreMissing(`sluice in ${shell}`, shell);

/** A shell in a pseudo-terminal, as a person has it, which has read its completion twice, as a file read again does. */
async function openShell(name: keyof typeof SHELLS) {
  const { start, set, read } = SHELLS[name];
  const child = spawn('script', ['-qefc', `stty cols 200 rows 60; exec ${start}`, '/dev/null'], {
    cwd: folder,
    env: environment(),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const ended = new Promise((done) => child.once('close', done));
  const screen = () => stripVTControlCharacters(output).replaceAll('\r', '');
  let lines = 0;
  /** Types a line, and waits until it was run; what the terminal shows of the typing has a quotation mark in it. */
  const line = async (text: string) => {
    lines += 1;
    child.stdin.write(`${text}; echo "done"-${lines}\r`);
    await until(() => screen().includes(`done-${lines}`));
  };
  for (const text of [set, read, read]) await line(text);
  return {
    /** What the shell shows after Tab: one completes as far as it is clear, two list what there is. */
    async complete(text: string, wanted: readonly string[]) {
      output = '';
      child.stdin.write(`${text}\t\t`);
      await until(() => wanted.every((word) => screen().includes(word)), 20_000).catch(() => undefined);
      const shown = screen();
      // Takes the line back.
      child.stdin.write('\u0015');
      await line('true');
      return shown;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end('exit\r');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

describe('what can follow', () => {
  const next = async (...words: string[]) => {
    const { stdout } = await sluice(product.origin, ['complete', '--', ...words]);
    const lines = stdout.trimEnd().split('\n');
    return { words: lines.slice(0, -1).map((line) => line.replace(/\t.*/, '')), directive: lines.at(-1) };
  };

  test.each([
    [['allow'], ['allowlist']],
    [['keys', 'ro'], ['rotate']],
    [['--json', 'keys', 'ro'], ['rotate']],
    [['keys', 'list', '--exp'], ['--expires-within']],
    [
      ['keys', 'create', '--tier', ''],
      ['free', 'starter', 'business', 'enterprise'],
    ],
    [['keys', 'create', '--tier=b'], ['business']],
    [['keys', 'create', '--name', 'x', '--na'], []],
    [['keys', 'create', '--name', ''], []],
    [['quota', 'tier', 'Invoices', 'b'], ['business']],
    [['completion', 'z'], ['zsh']],
    [['members', 'invite', 'a@b.c', '--pass'], ['--password']],
    [['nonsense', ''], []],
  ])('%j', async (words, expected) => {
    expect(await next(...words)).toEqual({ words: expected, directive: ':4' });
  });

  test('a key by its name, or by its prefix where the name has to be quoted', async () => {
    expect((await next('quota', 'get', 'Inv')).words).toEqual(['Invoices']);
    expect((await next('keys', 'revoke', '')).words).toEqual(
      expect.arrayContaining(['Invoices', expect.stringMatching(/^slk_/)]),
    );
    const away = await sluice('http://127.0.0.1:9', ['complete', '--', 'quota', 'get', '']);
    expect(away).toEqual({ code: 0, stdout: ':4\n', stderr: '' });
  });

  test('a file', async () => {
    expect(await next('state', 'plan', '')).toEqual({ words: [], directive: ':0' });
    expect(await next('oauth', 'assess', '--config', '')).toEqual({ words: [], directive: ':0' });
  });
});

/** What is typed before Tab, and what then shows. */
const TYPED = [
  ['sluice keys ', ['create', 'revoke', 'rotate']],
  ['sluice keys rot', ['rotate']],
  ['sluice keys create --tier b', ['business']],
  ['sluice keys create --tier=b', ['business']],
  ['sluice keys create --na', ['--name']],
  ['sluice quota get Inv', ['Invoices']],
  ['sluice state plan rul', ['rules-of-ours.yaml']],
  // Nothing that stands on the line is run.
  ['sluice keys list --q "$(touch ran)" --ru', ['--runs-out']],
] as const;

describe.each(['bash', 'zsh'] as const)('%s completes', (shell) => {
  test.skipIf(shellIsMissing(shell))('commands, options, values, names and files', async () => {
    await using opened = await openShell(shell);
    for (const [text, wanted] of TYPED) {
      const shown = await opened.complete(text, wanted);
      for (const word of wanted) expect(shown, text).toContain(word);
      expect(shown, text).not.toMatch(/not found|readonly|syntax error|command not/);
    }
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

describe('fish completes', () => {
  test.skipIf(shellIsMissing('fish'))('commands, options, values, names and files', () => {
    const asked = TYPED.map(([text]) => `complete -C '${text}'; echo NEXT`).join('\n');
    const read = 'sluice completion fish | source\n';
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', `${read}${read}${asked}`], {
      cwd: folder,
      env: environment(),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    for (const [index, answer] of stdout.split('NEXT\n').slice(0, -1).entries()) {
      const [text, wanted] = TYPED[index] ?? ['', []];
      for (const word of wanted) expect(answer, text).toContain(word);
    }
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});
