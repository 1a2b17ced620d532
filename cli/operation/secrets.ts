import type { CommandContext } from '@/cli/context';
import { createUsageFailure } from '@/cli/failure';
import type { Field } from '@/cli/operation/fields';
import type { Form } from '@/cli/operation/form';
import { nameVariable } from '@/cli/operation/options';

/**
 * Reads a secret from its variable or a prompt. The prompt hides the text unless the field is in `form.secrets`. New
 * passwords are asked for twice.
 * @throws Failure if there is neither a variable nor a terminal, or if the two entries differ
 */
export async function readSecret({ env, output }: CommandContext, field: Field, form: Form): Promise<string> {
  const variable = nameVariable(field, form);
  const fromEnvironment = env[variable];
  if (fromEnvironment) return fromEnvironment;
  const name = field.name.replaceAll(/[._]/g, ' ').replace(/^url$/, 'URL');
  const label = name[0]?.toUpperCase() + name.slice(1);
  if (!output.canAsk) {
    throw createUsageFailure(
      `The ${name} is missing.`,
      `Set ${variable}, or pipe the body as JSON, with --data -. Secrets are never arguments, which others can see.`,
    );
  }
  const isShown = form.secrets?.includes(field.name) === true;
  const typed = await output.ask(label, { hidden: !isShown });
  if (typed === '') throw createUsageFailure(`The ${name} is missing.`);
  const isNew = field.name === 'new_password' || (!field.required && !isShown);
  if (isNew && (await output.ask(`${label}, again`, { hidden: true })) !== typed) {
    throw createUsageFailure('The two are not the same; nothing was changed.');
  }
  return typed;
}
