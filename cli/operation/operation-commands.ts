import { type CommandDefinition, defineCommand } from '@/cli/command';
import { type Field, listFields } from '@/cli/operation/fields';
import type { Form } from '@/cli/operation/form';
import { FORMS } from '@/cli/operation/forms';
import { DESCRIPTIONS, FIELD_TEXTS, FIELD_TEXTS_OF } from '@/cli/operation/help-texts';
import {
  buildArguments,
  buildOptions,
  DRY_RUN_OPTION,
  describeSources,
  nameFlag,
  PAGE_OPTIONS,
  removePageFields,
} from '@/cli/operation/options';
import { findMember } from '@/cli/output/rows';
import type { ManifestOperation } from '@/lib/openapi/manifest';
import { quoteForShell } from '@/lib/shell-quote';

/** Generates a command for each operation. */
export function buildOperationCommands(operations: readonly ManifestOperation[]): CommandDefinition[] {
  return operations.map(createCommand);
}

function createCommand(operation: ManifestOperation): CommandDefinition {
  const { command, summary, description, list, body, dryRun } = operation;
  const form = FORMS[command] ?? {};
  const fields = removePageFields(listFields(operation), list).map((field) => ({
    ...field,
    description: describeField(operation, field),
    secret: field.secret || form.secrets?.includes(field.name) === true,
  }));
  const secrets = fields.filter(({ name, secret, required }) => secret && required && !form.hidden?.includes(name));
  const about = [
    DESCRIPTIONS[command] ?? description?.replaceAll('`', ''),
    secrets.length > 0 && describeSources(secrets, form),
  ]
    .filter(Boolean)
    .join('\n\n');
  return defineCommand({
    name: command,
    summary,
    ...(about === '' ? {} : { description: about }),
    operations: [operation.id],
    ...(form.aliases === undefined ? {} : { aliases: form.aliases }),
    arguments: buildArguments(fields, form),
    options: [
      ...buildOptions(fields, form, body !== undefined),
      ...(dryRun ? [DRY_RUN_OPTION] : []),
      ...(list ? PAGE_OPTIONS : []),
    ],
    examples: form.examples ?? [buildExample(operation, fields, form)],
    async run(context, input) {
      const { runOperation } = await import('@/cli/operation/run-operation');
      return runOperation(context, input, operation, fields, form);
    },
  });
}

/** Describes a field for the command line. */
function describeField({ command, reason }: ManifestOperation, { name, description }: Field): string {
  const text = FIELD_TEXTS_OF[command]?.[name] ?? FIELD_TEXTS[name.replace(/^.*\./, '')];
  return text ?? (name === 'reason' && reason !== undefined ? 'Reason, shown in the audit log.' : description);
}

/** Turns the operation's own example into a command line. */
function buildExample(operation: ManifestOperation, fields: readonly Field[], form: Form): string {
  const { example, command } = operation;
  const words = fields.flatMap((field) => {
    const { name, place, kind } = field;
    const exampleValue = place === 'body' ? findMember(example?.body, name) : example?.[place]?.[name];
    const isArgument = place === 'params' || form.arguments?.includes(name);
    if (exampleValue === undefined || exampleValue === null)
      return isArgument && field.required ? [`<${nameFlag(field, form)}>`] : [];
    if (field.secret) return [];
    const text = quoteShellWord(typeof exampleValue === 'string' ? exampleValue : JSON.stringify(exampleValue));
    if (isArgument) return [text];
    if (kind === 'boolean') return [`--${String(exampleValue) === 'false' ? 'no-' : ''}${nameFlag(field, form)}`];
    return [`--${nameFlag(field, form)} ${text}`];
  });
  const needsData = Array.isArray(example?.body);
  return ['sluice', command, ...words, ...(needsData ? ['--data -'] : [])].join(' ');
}

function quoteShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteForShell(text);
}
