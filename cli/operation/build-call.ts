import { type Input, readText } from '@/cli/command';
import type { Call } from '@/cli/connection';
import type { CommandContext } from '@/cli/context';
import { createUsageFailure } from '@/cli/failure';
import { guessCallerType, listCallerTypes } from '@/cli/operation/caller-type';
import { parseJson, readJsonData } from '@/cli/operation/data';
import type { Field } from '@/cli/operation/fields';
import type { Form, ListOption } from '@/cli/operation/form';
import { ENDS, nameFlag } from '@/cli/operation/options';
import { resolveReference } from '@/cli/operation/references';
import { readSecret } from '@/cli/operation/secrets';
import { findMember } from '@/cli/output/rows';
import { addToNow, parseTime, parseTimeOrAgo, parseWholeNumber } from '@/cli/values';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** Builds the call of an operation from the command line. @throws Failure for invalid input */
export async function buildCall(
  context: CommandContext,
  operation: ManifestOperation,
  fields: readonly Field[],
  form: Form,
  input: Input,
): Promise<Call> {
  const given: Record<Field['place'], Map<string, unknown>> = { params: new Map(), query: new Map(), body: new Map() };
  for (const field of fields) {
    const value = await readField(context, field, form, input);
    if (value !== undefined) given[field.place].set(field.name, value);
  }
  if (form.guessesType) {
    const field = fields.find(({ name }) => name === 'type');
    const identifier = fields.find(({ name }) => name === 'identifier');
    if (field !== undefined && identifier !== undefined) {
      const text = given[identifier.place].get('identifier');
      if (typeof text === 'string') {
        const type = guessCallerType(text, listCallerTypes(field), input);
        given[field.place].set('type', type);
        if (type === 'user_id' && input.options.user !== true && operation.method !== 'GET')
          context.output.note('Not an address, so it is taken for the id of a user.');
        if (type === 'api_key') given[field.place].set('identifier', await resolveReference(context, 'key', text));
      }
    }
  }
  const data = await readData(context, operation, form, input);
  for (const field of fields.filter(({ name, secret }) => secret && !form.hidden?.includes(name))) {
    const isWanted = field.required || input.options[nameFlag(field, form)] === true;
    if (!isWanted || findMember(data, field.name) !== undefined) continue;
    given.body.set(field.name, await readSecret(context, field, form));
  }
  takeFromEnvironment(context, form, given.body, data);
  const body = buildBody(data, given.body);
  requireComplete(fields, form, given, body);
  return {
    params: Object.fromEntries([...given.params].map(([name, value]) => [name, String(value)])),
    query: Object.fromEntries([...given.query].map(([name, value]) => [name, formatQueryValue(value)])),
    ...(operation.body === undefined || (body === undefined && operation.bodyOptional) ? {} : { body: body ?? {} }),
  };
}

/** Reads the caller from the environment (an API key) if the command line names none. */
function takeFromEnvironment(context: CommandContext, form: Form, body: Map<string, unknown>, data: unknown): void {
  for (const [name, variable] of Object.entries(form.fromEnvironment ?? {})) {
    const value = context.env[variable];
    if (!value || CLIENTS.some((client) => body.has(client) || findMember(data, client) !== undefined)) continue;
    body.set(name, value);
    context.output.note(`With the API key in ${variable}.`);
  }
}

/** Body members that name the client of a request. At most one may be present. */
const CLIENTS = ['api_key', 'api_key_id', 'client_id'];

function formatQueryValue(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}

/** Reads the value of a field. Undefined if it was not given. */
async function readField(context: CommandContext, field: Field, form: Form, input: Input): Promise<unknown> {
  if (ENDS.has(field.name)) return readEnd(context, field, input);
  // The option of a hidden field may belong to another field.
  if (field.secret || form.hidden?.includes(field.name)) return undefined;
  const flag = nameFlag(field, form);
  const typed = input.arguments[flag] ?? input.options[flag];
  if (typed === undefined) return undefined;
  if (typed === false) return field.kind === 'boolean' ? encodeBoolean(field, false) : null;
  if (typed === true) return encodeBoolean(field, true);
  const list = form.lists?.[field.name];
  if (Array.isArray(typed) && list !== undefined) return readListOption(typed, list, flag);
  if (Array.isArray(typed)) return typed.flatMap((text: string) => text.split(','));
  if (typeof typed !== 'string') return undefined;
  const reference = form.references?.[field.name];
  if (reference !== undefined) return resolveReference(context, reference, typed, form);
  if (field.kind === 'number') return parseWholeNumber(flag, typed);
  if (field.kind === 'time') return parseTimeOrAgo(flag, typed, context.now());
  if (field.kind === 'json') return parseJson(typed, `--${flag}`);
  return typed;
}

/** Reads JSON, or the short form of the field. */
function readListOption(texts: readonly string[], { parse }: ListOption, flag: string): unknown {
  const [first = ''] = texts;
  return texts.length === 1 && /^\s*[[{]/.test(first) ? parseJson(first, `--${flag}`) : parse(texts, flag);
}

/** Query strings spell a boolean as a word. */
function encodeBoolean(field: Field, value: boolean): boolean | string {
  return field.place === 'query' ? String(value) : value;
}

/** Reads the end from `--for`, `--until` or `--never`. */
function readEnd(context: CommandContext, field: Field, input: Input): string | null | undefined {
  const length = readText(input, 'for');
  const until = readText(input, 'until');
  const never = input.options.never === true;
  if ([length !== undefined, until !== undefined, never].filter(Boolean).length > 1) {
    throw createUsageFailure('--for, --until and --never exclude each other.');
  }
  if (never) return field.nullable ? null : undefined;
  if (length !== undefined) return addToNow(length, context.now());
  return until === undefined ? undefined : parseTime('until', until);
}

/** Reads the body of `--data`. */
async function readData(
  context: CommandContext,
  { body }: ManifestOperation,
  { secrets }: Form,
  input: Input,
): Promise<unknown> {
  const data = readText(input, 'data');
  return body === undefined || data === undefined ? undefined : readJsonData(context, data, secrets);
}

/** Builds the body. Members given as options override those of `--data`. */
function buildBody(data: unknown, members: ReadonlyMap<string, unknown>): unknown {
  if (members.size === 0) return data;
  if (data !== undefined && (typeof data !== 'object' || data === null || Array.isArray(data))) {
    throw createUsageFailure('--data must hold an object when members of it are given by options.');
  }
  const body = structuredClone(data ?? {}) as Record<string, unknown>;
  for (const [path, value] of members) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let inner = body;
    for (const name of names) {
      if (typeof inner[name] !== 'object' || inner[name] === null) inner[name] = {};
      inner = inner[name] as Record<string, unknown>;
    }
    inner[last] = value;
  }
  return body;
}

/** @throws Failure if a required field is missing */
function requireComplete(
  fields: readonly Field[],
  form: Form,
  given: Readonly<Record<Field['place'], ReadonlyMap<string, unknown>>>,
  body: unknown,
): void {
  const missing: string[] = [];
  for (const field of fields) {
    if (!field.required) continue;
    const value = field.place === 'body' ? findMember(body, field.name) : given[field.place].get(field.name);
    if (value !== undefined) continue;
    if (field.name === 'type' && form.guessesType) continue;
    if (ENDS.has(field.name)) missing.push('--for or --until');
    else if (form.hidden?.includes(field.name))
      throw createUsageFailure('The body is missing.', 'Give it with --data.');
    else
      missing.push(
        form.arguments?.includes(field.name) ? nameFlag(field, form).toUpperCase() : `--${nameFlag(field, form)}`,
      );
  }
  if (missing.length > 0)
    throw createUsageFailure(`Missing: ${missing.join(', ')}.`, 'Add --help to see how it is used.');
}
