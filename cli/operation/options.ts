import type { ArgumentDefinition, OptionDefinition } from '@/cli/command';
import { buildCallerTypeOptions, listCallerTypes } from '@/cli/operation/caller-type';
import type { Field } from '@/cli/operation/fields';
import type { Form, Reference } from '@/cli/operation/form';

/** Fields for an end, set by `--for`, `--until` or `--never`. */
export const ENDS: ReadonlySet<string> = new Set(['ends_at', 'expires_at', 'until']);

/** Default number of list entries. */
export const USUAL_LIMIT = 100;

export const PAGE_OPTIONS: readonly OptionDefinition[] = [
  { flag: 'limit', value: 'NUMBER', description: `Maximum number. Default: ${USUAL_LIMIT}.` },
  { flag: 'all', description: 'All of them, page by page.' },
];

export const DRY_RUN_OPTION: OptionDefinition = {
  flag: 'dry-run',
  description: 'Change nothing; show what would change, and the traffic it would affect.',
};

/** Paging parameters of a list, which `--limit` and `--all` replace. */
const PAGE_FIELDS = new Set(['limit', 'cursor']);

/** Returns the name of a field's option or argument. */
export function nameFlag({ name }: Field, { flags }: Form): string {
  return flags?.[name] ?? name.replaceAll('_', '-');
}

/** Returns the environment variable of a secret field. */
export function nameVariable({ name }: Field, { variables }: Form): string {
  return variables?.[name] ?? `SLUICE_${name.replaceAll('.', '_').toUpperCase()}`;
}

/** Describes the sources of secret fields, for the help. */
export function describeSources(fields: readonly Field[], form: Form): string {
  const variables = fields.map((field) => nameVariable(field, form)).join(' and ');
  const isShown = fields.every(({ name }) => form.secrets?.includes(name));
  return `Asked for${isShown ? '' : ' without showing it'}, or taken from ${variables}.`;
}

/** Removes the paging fields of a list, which `--limit` and `--all` cover. */
export function removePageFields(fields: readonly Field[], isList: boolean): Field[] {
  return fields.filter(({ name, place }) => !(isList && place === 'query' && PAGE_FIELDS.has(name)));
}

export function buildArguments(fields: readonly Field[], form: Form): ArgumentDefinition[] {
  const inPath = fields.filter(({ place }) => place === 'params');
  const others = (form.arguments ?? []).flatMap((name) =>
    fields.filter((field) => field.name === name && field.place !== 'params'),
  );
  return [...inPath, ...others].map((field) => ({
    name: nameFlag(field, form),
    description: describe(field, form),
    optional: !field.required,
    ...(field.place === 'body' ? { inData: true } : {}),
    ...(field.choices === undefined ? {} : { choices: field.choices }),
    ...findReference(field, form),
  }));
}

export function buildOptions(fields: readonly Field[], form: Form, hasBody: boolean): OptionDefinition[] {
  const shown = fields.filter(
    ({ name, place, secret, required }) =>
      place !== 'params' &&
      !(secret && required) &&
      !form.arguments?.includes(name) &&
      !form.hidden?.includes(name) &&
      !(form.guessesType && name === 'type'),
  );
  const type = form.guessesType && fields.find(({ name }) => name === 'type');
  return [
    ...(type ? buildCallerTypeOptions(listCallerTypes(type)) : []),
    ...shown
      .toSorted((one, other) => rank(one) - rank(other))
      .flatMap((field) => (ENDS.has(field.name) ? buildEndOptions(field) : [buildOption(field, form)])),
    ...(hasBody
      ? [
          {
            flag: 'data',
            value: 'FILE',
            description: 'The body: a file of JSON, - for stdin, or JSON itself without secrets.',
          },
        ]
      : []),
  ];
}

/** Sorts required fields first and the reason last. */
function rank({ required, name }: Field): number {
  return required ? 0 : name === 'reason' ? 2 : 1;
}

function buildOption(field: Field, form: Form): OptionDefinition {
  const { kind, nullable, choices, secret } = field;
  const flag = nameFlag(field, form);
  if (secret) return { flag, description: `${describe(field, form)} ${describeSources([field], form)}`.trim() };
  const name = flag.includes('-') ? 'CHOICE' : flag.toUpperCase();
  const list = form.lists?.[field.name];
  const value = list?.value ?? (kind === 'boolean' ? undefined : choices === undefined ? PLACEHOLDERS[kind] : name);
  return {
    flag,
    description: describe(field, form),
    ...(value === undefined ? {} : { value }),
    ...(choices === undefined ? {} : { choices }),
    ...findGroup(field),
    ...(field.required ? { required: true } : {}),
    ...findReference(field, form),
    ...(kind === 'list' || list !== undefined ? { repeatable: true } : {}),
    ...(field.place === 'body' && (nullable || kind === 'boolean') ? { negatable: true } : {}),
  };
}

/** Groups deeply nested members: `classes.auth`. */
function findGroup({ name, place }: Field): { group?: string } {
  const [one, other, deep] = place === 'body' ? name.split('.') : [];
  return deep === undefined ? {} : { group: `${one}.${other}` };
}

function findReference({ name }: Field, { references }: Form): { reference?: Reference } {
  const reference = references?.[name];
  return reference === undefined ? {} : { reference };
}

const PLACEHOLDERS: Readonly<Record<Field['kind'], string | undefined>> = {
  text: 'TEXT',
  number: 'NUMBER',
  boolean: undefined,
  time: 'TIME',
  list: 'LIST',
  json: 'JSON',
};

function buildEndOptions({ nullable, required }: Field): OptionDefinition[] {
  const usual = nullable && !required ? ' Without an end when absent.' : '';
  return [
    { flag: 'for', value: 'DURATION', description: `Duration: 30m, 2h, 7d, 2w.${usual}`, required },
    { flag: 'until', value: 'TIME', description: 'End: 2026-12-01, 2026-12-01T18:00 (UTC), or RFC 3339.' },
    ...(nullable ? [{ flag: 'never', description: 'It never ends.' }] : []),
  ];
}

function describe({ name, kind, description, place }: Field, { references }: Form): string {
  const reference = references?.[name];
  if (reference === 'key') return 'The API key: its id, its name, or the beginning of one that only it has.';
  if (reference === 'token') return 'The token: its id, or its name.';
  if (reference === 'member') return 'The member: an id, or an e-mail address.';
  if (kind === 'time' && place === 'query') return `${description} Or how long ago: 2h.`;
  return description;
}
