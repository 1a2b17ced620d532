import { describe, expect, test } from 'vitest';
import { COMMANDS } from '@/cli/commands';
import { GLOBAL_OPTIONS } from '@/cli/global-options';
import { GROUPS } from '@/cli/groups';
import { listFields } from '@/cli/operation/fields';
import { FORMS } from '@/cli/operation/forms';
import { buildOperationCommands } from '@/cli/operation/operation-commands';
import { nameFlag } from '@/cli/operation/options';
import { buildProgram } from '@/cli/program';
import { CONTRACTS } from '@/lib/contract/contracts';
import { buildManifest } from '@/lib/openapi/manifest';

const { operations } = buildManifest(CONTRACTS, '1.2.3');
const made = buildOperationCommands(operations);
const own = new Set(COMMANDS.map(({ name }) => name));
const all = [...made.filter(({ name }) => !own.has(name)), ...COMMANDS];

test('every operation is a command, or an endpoint of a protocol', () => {
  const named = new Set([...all.map(({ name }) => name)]);
  expect(operations.map(({ command }) => command).filter((name) => !named.has(name))).toEqual([]);
});

test('commander takes all of them: no option stands twice', () => {
  const program = buildProgram(all, '1.2.3', async () => undefined);
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
    for (const name of [...(form.arguments ?? []), ...(form.hidden ?? []), ...(form.secrets ?? [])])
      expect(fields, command).toContain(name);
    expect(form.guessesType !== true || fields.includes('identifier'), command).toBe(true);
  }
});

test('no argument stands twice', () => {
  for (const { name, arguments: taken = [] } of all) {
    const names = taken.map((argument) => argument.name);
    expect(names, name).toEqual([...new Set(names)]);
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

  test.each(all.flatMap(({ name, examples }) => examples.map((example) => [name, example] as const)))(
    '%s: the options of the example exist: %s',
    (_, example) => {
      const calls = example.replace(/'[^']*'|"[^"$]*"/g, 'QUOTED').matchAll(/sluice ([^|;&()]+)/g);
      for (const [, call = ''] of calls) {
        const command = all
          .filter(({ name }) => `${call} `.startsWith(`${name} `))
          .toSorted((one, other) => other.name.length - one.name.length)[0];
        const flags = [...(command?.options ?? []), ...GLOBAL_OPTIONS].flatMap(({ flag, negatable }) =>
          negatable === true ? [flag, `no-${flag}`] : [flag],
        );
        for (const [, flag] of call.matchAll(/ --([\w.-]+)/g))
          expect([...flags, 'help', 'version'], call).toContain(flag);
      }
    },
  );
});

describe('nothing secret is an argument or the value of an option', () => {
  const isSecret = (name: string) => /password|^code$|cookie|^token$|secret$|^key$|assertion/.test(name);
  /** The names of all members in a schema, however deep. */
  const namesIn = (schema: unknown): string[] =>
    typeof schema !== 'object' || schema === null
      ? []
      : Object.entries(schema).flatMap(([word, inner]) => [
          ...(word === 'properties' ? Object.keys(inner as object) : []),
          ...namesIn(inner),
        ]);
  /** The schema of a field with dots in its name. */
  const schemaOf = (schema: unknown, path: string) =>
    path.split('.').reduce<unknown>((inner, step) => {
      const { properties, anyOf } = inner as { properties?: object; anyOf?: { properties?: object }[] };
      return { ...properties, ...anyOf?.find((one) => one.properties !== undefined)?.properties }[step as never];
    }, schema);
  /** What is typed after a command, but names of keys and tokens. */
  const typed = (command: string) => {
    const { arguments: taken = [], options = [] } = made.find(({ name }) => name === command) ?? {};
    const valued = options
      .filter(({ value }) => value !== undefined)
      .map(({ flag, ...more }) => ({ name: flag, ...more }));
    return [...taken, ...valued].filter(({ reference }) => reference === undefined).map(({ name }) => name);
  };

  test.each(operations.map((operation) => [operation.command, operation] as const))('%s', (command, operation) => {
    const words = typed(command);
    expect(words.filter(isSecret)).toEqual([]);
    const form = FORMS[command] ?? {};
    const visible = listFields(operation).filter((field) => words.includes(nameFlag(field, form)));
    for (const { name, place } of visible) {
      const schema = place === 'body' ? schemaOf(operation.body, name) : {};
      expect(schema, name).toBeDefined();
      expect(namesIn(schema).filter(isSecret), name).toEqual([]);
    }
  });

  test('nor what may be one by another name', () => {
    for (const command of ['webhooks create', 'webhooks update', 'assessments answer', 'oauth request'])
      expect(typed(command), command).not.toContain('url');
    expect(typed('assessments start')).not.toContain('target');
  });
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
