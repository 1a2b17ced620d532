import type { ArgumentDefinition, OptionDefinition } from '@/cli/command';
import { callerTypeOptions, callerTypes } from '@/cli/operation/caller-type';
import type { Field } from '@/cli/operation/fields';
import type { Form } from '@/cli/operation/form';

/** Fields that say when something ends: `--for`, `--until`, `--never`. */
export const ENDS: ReadonlySet<string> = new Set(['expires_at', 'until']);

/** Entries of a list, when nobody says how many. */
export const USUAL_LIMIT = 100;

export const PAGE_OPTIONS: readonly OptionDefinition[] = [
  { flag: 'limit', value: 'NUMBER', description: `At most so many; ${USUAL_LIMIT} when absent.` },
  { flag: 'all', description: 'All of them, page by page.' },
];

/** Of a list these are not the operation's but the pages'. */
const PAGE_FIELDS = new Set(['limit', 'cursor']);

/** The name of the option or argument of a field. */
export function flagOf({ name }: Field, { flags }: Form): string {
  return flags?.[name] ?? name.replaceAll('_', '-');
}

/** Whether the fields of pages are told by `--limit` and `--all`. */
export function withoutPages(fields: readonly Field[], isList: boolean): Field[] {
  return fields.filter(({ name, place }) => !(isList && place === 'query' && PAGE_FIELDS.has(name)));
}

export function argumentsOf(fields: readonly Field[], form: Form): ArgumentDefinition[] {
  const inPath = fields.filter(({ place }) => place === 'params');
  const others = (form.arguments ?? []).flatMap((name) => fields.filter((field) => field.name === name));
  return [...inPath, ...others].map((field) => ({
    name: flagOf(field, form),
    description: describe(field, form),
    // What the body needs may also come with --data.
    optional: !field.required || field.place === 'body',
    ...(field.choices === undefined ? {} : { choices: field.choices }),
  }));
}

export function optionsOf(fields: readonly Field[], form: Form, hasBody: boolean): OptionDefinition[] {
  const shown = fields.filter(
    ({ name, place, secret }) =>
      place !== 'params' &&
      !secret &&
      !form.arguments?.includes(name) &&
      !form.hidden?.includes(name) &&
      !(form.guessesType && name === 'type'),
  );
  const type = form.guessesType && fields.find(({ name }) => name === 'type');
  return [
    ...(type ? callerTypeOptions(callerTypes(type)) : []),
    ...shown.flatMap((field) => (ENDS.has(field.name) ? endOptions(field) : [optionOf(field, form)])),
    ...(hasBody
      ? [{ flag: 'data', value: 'FILE', description: 'The body: a file of JSON, - for stdin, or JSON itself.' }]
      : []),
  ];
}

function optionOf(field: Field, form: Form): OptionDefinition {
  const { kind, nullable, choices } = field;
  const flag = flagOf(field, form);
  const value = kind === 'boolean' ? undefined : PLACEHOLDERS[kind];
  return {
    flag,
    description: describe(field, form),
    ...(value === undefined ? {} : { value }),
    ...(choices === undefined ? {} : { choices }),
    ...(kind === 'list' ? { repeatable: true } : {}),
    ...(field.place === 'body' && (nullable || kind === 'boolean') ? { negatable: true } : {}),
  };
}

const PLACEHOLDERS: Readonly<Record<Field['kind'], string | undefined>> = {
  text: 'TEXT',
  number: 'NUMBER',
  boolean: undefined,
  moment: 'TIME',
  list: 'LIST',
  json: 'JSON',
};

function endOptions({ nullable, required }: Field): OptionDefinition[] {
  const usual = nullable && !required ? ' Without an end when absent.' : '';
  return [
    { flag: 'for', value: 'DURATION', description: `How long: 30m, 2h, 7d, 2w.${usual}` },
    { flag: 'until', value: 'TIME', description: 'Until then: 2026-12-01, 2026-12-01T18:00 (UTC), or RFC 3339.' },
    ...(nullable ? [{ flag: 'never', description: 'It never ends.' }] : []),
  ];
}

function describe({ name, kind, description, place }: Field, { references }: Form): string {
  const reference = references?.[name];
  if (reference === 'key') return 'The API key: its id, its name, or the beginning of one that only it has.';
  if (reference === 'token') return 'The token: its id, or its name.';
  if (reference === 'member') return 'The member: an id, or an e-mail address.';
  if (kind === 'moment' && place === 'query') return `${description} Or how long ago: 2h.`;
  return description;
}
