import { type CommandDefinition, defineCommand, type Input } from '@/cli/command';
import type { ApiReply } from '@/cli/connection';
import type { CommandContext } from '@/cli/context';
import { unreachable } from '@/cli/failure';
import { callOf } from '@/cli/operation/call-of';
import { type Field, fieldsOf } from '@/cli/operation/fields';
import type { Form } from '@/cli/operation/form';
import { FORMS } from '@/cli/operation/forms';
import { argumentsOf, flagOf, optionsOf, withoutPages } from '@/cli/operation/options';
import { PAGE_OPTIONS, showList } from '@/cli/operation/pages';
import { VIEWS } from '@/cli/operation/views';
import { isRow } from '@/cli/output/rows';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** A command for each operation. */
export function operationCommands(operations: readonly ManifestOperation[]): CommandDefinition[] {
  return operations.map(commandOf);
}

function commandOf(operation: ManifestOperation): CommandDefinition {
  const { command, summary, description, list, body } = operation;
  const form = FORMS[command] ?? {};
  const fields = withoutPages(fieldsOf(operation), list);
  return defineCommand({
    name: command,
    summary,
    ...(description === undefined ? {} : { description: description.replaceAll('`', '') }),
    operations: [operation.id],
    arguments: argumentsOf(fields, form),
    options: [...optionsOf(fields, form, body !== undefined), ...(list ? PAGE_OPTIONS : [])],
    examples: form.examples ?? [usualExample(operation, fields, form)],
    run: (context, input) => run(context, input, operation, fields, form),
  });
}

async function run(
  context: CommandContext,
  input: Input,
  operation: ManifestOperation,
  fields: readonly Field[],
  form: Form,
): Promise<void> {
  const { id, list } = operation;
  const call = await callOf(context, operation, fields, form, input);
  const { format } = call.query ?? {};
  if (list && (format === undefined || format === 'json')) return showList(context, id, call, input, form.columns);
  if (form.question !== undefined) await context.output.confirm(form.question);
  if (format === 'csv' || format === 'jsonl' || operation.answers.includes('application/x-ndjson')) {
    return copy(context, await context.stream(id, call));
  }
  const answer = await context.request(id, call);
  await showAnswer(context, operation, answer, form);
}

/** What an operation answered: its JSON or text, or that it is done, and how to take a change back. */
async function showAnswer(
  context: CommandContext,
  operation: ManifestOperation,
  answer: ApiReply,
  form: Form,
): Promise<void> {
  const { output } = context;
  const view = VIEWS[operation.id];
  if (answer.text === '') output.note(output.paintNote('green', 'Done.'));
  else if (typeof answer.body === 'string') await output.write(answer.text.replace(/\n*$/, '\n'));
  else if (output.json) await output.jsonText(answer.text);
  else if (view !== undefined && isRow(answer.body)) await view(answer.body, output);
  else await output.show(answer.body, form.columns);
  if (operation.reason !== undefined && form.undoable !== false) context.undoHint(answer);
}

/** A download, as it comes. */
async function copy({ output }: CommandContext, response: Response): Promise<void> {
  const decoder = new TextDecoder();
  const chunks = response.body?.getReader();
  for (;;) {
    const part = await chunks?.read().catch(() => {
      throw unreachable('The answer ended before it was whole.');
    });
    if (part?.value === undefined) return;
    await output.write(decoder.decode(part.value, { stream: true }));
  }
}

/** The operation's own example, as one would type it. */
function usualExample(operation: ManifestOperation, fields: readonly Field[], form: Form): string {
  const { example, command } = operation;
  const words = fields.flatMap((field) => {
    const { name, place, kind } = field;
    const given = place === 'body' ? memberOf(example?.body, name) : example?.[place]?.[name];
    const isArgument = place === 'params' || form.arguments?.includes(name);
    if (given === undefined || given === null) return isArgument && field.required ? [`<${flagOf(field, form)}>`] : [];
    if (field.secret) return [];
    const text = shellWord(typeof given === 'string' ? given : JSON.stringify(given));
    if (isArgument) return [text];
    if (kind === 'boolean') return [`--${String(given) === 'false' ? 'no-' : ''}${flagOf(field, form)}`];
    return [`--${flagOf(field, form)} ${text}`];
  });
  const needsData = Array.isArray(example?.body) || fields.some(({ secret }) => secret);
  return ['sluice', command, ...words, ...(needsData ? ['--data -'] : [])].join(' ');
}

function memberOf(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name], body);
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
