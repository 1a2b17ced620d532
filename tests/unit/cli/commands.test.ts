import { describe, expect, test } from 'vitest';
import { COMMANDS } from '@/cli/commands';
import { GROUPS } from '@/cli/groups';
import { FORMS } from '@/cli/operation/forms';
import { operationCommands } from '@/cli/operation/operation-commands';
import { programOf } from '@/cli/program';
import { CONTRACTS } from '@/lib/contract/contracts';
import { manifestOf } from '@/lib/openapi/manifest';

const { operations } = manifestOf(CONTRACTS, '1.2.3');
const made = operationCommands(operations);
const own = new Set(COMMANDS.map(({ name }) => name));
const all = [...made.filter(({ name }) => !own.has(name)), ...COMMANDS];

test('every operation is a command, or an endpoint of a protocol', () => {
  const named = new Set([...all.map(({ name }) => name)]);
  expect(operations.map(({ command }) => command).filter((name) => !named.has(name))).toEqual([]);
});

test('commander takes all of them: no option stands twice', () => {
  const program = programOf(all, '1.2.3', async () => undefined);
  const leaves = program.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
  expect(leaves).toHaveLength(all.length);
});

test('every form belongs to an operation, and names fields that it has', () => {
  for (const [command, form] of Object.entries(FORMS)) {
    const operation = operations.find((candidate) => candidate.command === command);
    expect(operation, command).toBeDefined();
    const fields = [operation?.params, operation?.query, operation?.body].flatMap((schema) =>
      Object.keys((schema?.properties ?? {}) as object),
    );
    for (const name of [...(form.arguments ?? []), ...(form.hidden ?? [])]) expect(fields, command).toContain(name);
    expect(form.guessesType !== true || fields.includes('identifier'), command).toBe(true);
  }
});

test('every group says what it is about', () => {
  for (const { name } of all) expect(GROUPS, name).toHaveProperty([name.replace(/ .*/, '')]);
});

describe('every command', () => {
  test.each(all.map((command) => [command.name, command] as const))('%s has an example of its own', (name, command) => {
    expect(command.summary).not.toMatch(/\.$/);
    expect(command.examples.join('\n')).toContain(`sluice ${name}`);
  });
});

test('nothing secret is the value of an option', () => {
  for (const { name, options = [] } of made) {
    const secrets = options.filter(
      ({ flag, value }) => value !== undefined && /password|^code$|cookie|^token$|secret$/.test(flag),
    );
    expect(secrets, name).toEqual([]);
  }
});

test('the documentation lists them as they are; `vitest run --update` of this file writes it', async () => {
  const rows = all.map(({ name, summary }) => `| \`${name}\` | ${summary} |`).toSorted();
  const page = [
    '# All commands',
    '',
    'What each does, in a line; `sluice COMMAND --help` shows arguments, options and examples. [The command line](command-line.md) says how to use them.',
    '',
    '| command | what it does |',
    '|---|---|',
    ...rows,
    '',
  ];
  await expect(page.join('\n')).toMatchFileSnapshot('../../../docs/commands.md');
});
