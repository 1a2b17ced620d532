import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Argument, type Expression, parseSync, type TemplateLiteral } from '@swc/core';
import { expect, it } from 'vitest';
import { DATABASE_OUTAGE, STORE_OUTAGE, TRACES_OUTAGE } from '@/lib/logging/outage-log';

/** A message of the log, where the source writes it. */
interface Logged {
  /** Null where the source computes it. */
  level: string | null;
  message: string;
  /** As far as the source spells them. */
  fields: string[];
}

const LEVELS = ['error', 'warn', 'info', 'debug'];

/** Every call of a logger in a file; what is variable in a message is `…`. */
function loggedIn(path: string): Logged[] {
  const source = readFileSync(path, 'utf8');
  if (!/logger|logFailure|logFault/.test(source)) return [];
  const module = parseSync(source, { syntax: path.endsWith('.mjs') ? 'ecmascript' : 'typescript' });
  const constants = new Map<string, string[]>();
  const found: Logged[] = [];
  const messagesOf = (expression: Expression | undefined): string[] => {
    if (expression?.type === 'StringLiteral') return [expression.value];
    if (expression?.type === 'TemplateLiteral') return [textOf(expression as TemplateLiteral)];
    if (expression?.type === 'Identifier') return constants.get(expression.value) ?? [];
    if (expression?.type === 'ConditionalExpression')
      return [...messagesOf(expression.consequent), ...messagesOf(expression.alternate)];
    return [];
  };
  const textOf = ({ quasis }: TemplateLiteral) => quasis.map(({ cooked, raw }) => cooked ?? raw).join('…');
  const fieldsOf = (expression: Expression | undefined): string[] =>
    expression?.type !== 'ObjectExpression'
      ? []
      : expression.properties.flatMap((property) => {
          if (property.type === 'Identifier') return [property.value];
          return property.type === 'KeyValueProperty' && property.key.type === 'Identifier' ? [property.key.value] : [];
        });
  const add = (level: string | null, message: Expression | undefined, fields: string[]) => {
    for (const text of messagesOf(message)) found.push({ level, message: text, fields });
  };
  const call = (callee: Expression, args: Argument[]) => {
    const [first, second, third, fourth] = args.map(({ expression }) => expression);
    const name = callee.type === 'Identifier' ? callee.value : null;
    if (name === 'logFailure') return add('error', fourth, ['err', ...fieldsOf(third)]);
    if (name === 'logFault') return add('error', second, ['err', 'requestId']);
    // The tasks of lib/process/housekeeping.ts.
    if (name === 'repeat') return add('warn', second, ['err']);
    // That of lib/counters/redis/revision-log.ts.
    if (path.endsWith('revision-log.ts') && nameOf(callee) === 'log') return add(null, second, fieldsOf(third));
    if (callee.type !== 'MemberExpression' || !/logger\)?\??$/i.test(nameOf(callee.object))) return;
    const { property } = callee;
    const level = property.type === 'Identifier' && LEVELS.includes(property.value) ? property.value : null;
    if (level === null && property.type !== 'Computed') return;
    const hasFields = args.length > 1;
    add(level, hasFields ? second : first, hasFields ? fieldsOf(first) : []);
  };
  const nameOf = (expression: Expression): string => {
    if (expression.type === 'Identifier') return expression.value;
    if (expression.type === 'OptionalChainingExpression') return nameOf(expression.base as Expression);
    if (expression.type !== 'MemberExpression') return '';
    const { property } = expression;
    return property.type === 'Identifier' || property.type === 'PrivateName' ? nameOfProperty(property) : '';
  };
  const nameOfProperty = (property: { type: string; value?: string; id?: { value: string } }) =>
    property.value ?? property.id?.value ?? '';
  const walk = (node: unknown, visit: (node: Record<string, unknown>) => void): void => {
    if (Array.isArray(node)) for (const child of node) walk(child, visit);
    else if (typeof node === 'object' && node !== null) {
      visit(node as Record<string, unknown>);
      for (const child of Object.values(node)) walk(child, visit);
    }
  };
  walk(module, (node) => {
    if (node.type !== 'VariableDeclarator') return;
    const { id, init } = node as { id: { type: string; value: string }; init?: Expression };
    const messages = messagesOf(init);
    if (id.type === 'Identifier' && messages.length > 0) constants.set(id.value, messages);
  });
  walk(module, (node) => {
    if (node.type !== 'CallExpression') return;
    const { callee, arguments: args } = node as { callee: Expression; arguments: Argument[] };
    call(callee.type === 'OptionalChainingExpression' ? (callee.base as Expression) : callee, args);
  });
  return found;
}

const files = ['lib', 'app', 'server'].flatMap((room) =>
  readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path))
    .map((path) => join(room, path)),
);

const outages = [DATABASE_OUTAGE, STORE_OUTAGE, TRACES_OUTAGE].flatMap(
  ({ level = 'error', down, still, back }): Logged[] => [
    { level, message: down, fields: ['err'] },
    { level, message: still, fields: ['err', 'failures', 'seconds'] },
    { level: 'info', message: back, fields: ['failures', 'seconds'] },
  ],
);

/** Levels and fields of each message. */
function gathered(all: readonly Logged[]) {
  const messages = new Map<string, { levels: Set<string>; fields: Set<string> }>();
  for (const { level, message, fields } of all) {
    const known = messages.get(message) ?? { levels: new Set(), fields: new Set() };
    messages.set(message, known);
    if (level !== null) known.levels.add(level);
    for (const field of fields) known.fields.add(field);
  }
  return messages;
}

const inSource = gathered([...files.flatMap(loggedIn), ...outages]);
const documented = new Map(
  [...readFileSync('docs/log-format.md', 'utf8').matchAll(/^\| (.+?) \| ([a-z, ]+) \|(.*?)\| .+ \|$/gm)]
    .filter(([, message]) => message !== 'message' && !/^-+$/.test(message ?? ''))
    .map(([, message = '', levels = '', fields = '']) => [
      message,
      { levels: levels.split(', '), fields: [...fields.matchAll(/`(\w+)`/g)].map(([, field]) => field) },
    ]),
);

it('docs/log-format.md lists every message of the log, and no other', () => {
  expect(inSource.size).toBeGreaterThan(40);
  expect([...documented.keys()].sort()).toEqual([...inSource.keys()].sort());
});

it('with its levels and fields', () => {
  const wrong = [...inSource].filter(([message, { levels, fields }]) => {
    const row = documented.get(message);
    const isListed = [...levels].every((level) => row?.levels.includes(level));
    return !isListed || ![...fields].every((field) => row?.fields.includes(field));
  });
  expect(wrong).toEqual([]);
});
