import { type CommandDefinition, defineCommand } from '@/cli/command';
import { type Field, fieldsOf } from '@/cli/operation/fields';
import type { Form } from '@/cli/operation/form';
import { FORMS } from '@/cli/operation/forms';
import { argumentsOf, flagOf, optionsOf, PAGE_OPTIONS, withoutPages } from '@/cli/operation/options';
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
    async run(context, input) {
      const { runOperation } = await import('@/cli/operation/run-operation');
      return runOperation(context, input, operation, fields, form);
    },
  });
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
