import { type CommandDefinition, defineCommand } from '@/cli/command';
import { type Field, fieldsOf } from '@/cli/operation/fields';
import type { Form } from '@/cli/operation/form';
import { FORMS } from '@/cli/operation/forms';
import { DESCRIPTIONS, FIELD_TEXTS, FIELD_TEXTS_OF } from '@/cli/operation/help-texts';
import {
  argumentsOf,
  askedFor,
  DRY_RUN_OPTION,
  flagOf,
  optionsOf,
  PAGE_OPTIONS,
  withoutPages,
} from '@/cli/operation/options';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** Generates a command for each operation. */
export function operationCommands(operations: readonly ManifestOperation[]): CommandDefinition[] {
  return operations.map(commandOf);
}

function commandOf(operation: ManifestOperation): CommandDefinition {
  const { command, summary, description, list, body, dryRun } = operation;
  const form = FORMS[command] ?? {};
  const fields = withoutPages(fieldsOf(operation), list).map((field) => ({
    ...field,
    description: textOf(operation, field),
    secret: field.secret || form.secrets?.includes(field.name) === true,
  }));
  const secrets = fields.filter(({ name, secret, required }) => secret && required && !form.hidden?.includes(name));
  const about = [
    DESCRIPTIONS[command] ?? description?.replaceAll('`', ''),
    secrets.length > 0 && askedFor(secrets, form),
  ]
    .filter(Boolean)
    .join('\n\n');
  return defineCommand({
    name: command,
    summary,
    ...(about === '' ? {} : { description: about }),
    operations: [operation.id],
    ...(form.aliases === undefined ? {} : { aliases: form.aliases }),
    arguments: argumentsOf(fields, form),
    options: [
      ...optionsOf(fields, form, body !== undefined),
      ...(dryRun ? [DRY_RUN_OPTION] : []),
      ...(list ? PAGE_OPTIONS : []),
    ],
    examples: form.examples ?? [usualExample(operation, fields, form)],
    async run(context, input) {
      const { runOperation } = await import('@/cli/operation/run-operation');
      return runOperation(context, input, operation, fields, form);
    },
  });
}

/** Describes a field for the command line. */
function textOf({ command, reason }: ManifestOperation, { name, description }: Field): string {
  const text = FIELD_TEXTS_OF[command]?.[name] ?? FIELD_TEXTS[name.replace(/^.*\./, '')];
  return text ?? (name === 'reason' && reason !== undefined ? 'Why; kept in the audit log.' : description);
}

/** Turns the operation's own example into a command line. */
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
  const needsData = Array.isArray(example?.body);
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
