import { type Complete, RootCommand } from '@bomb.sh/tab';
import { allCommands } from '@/cli/available-commands';
import { GLOBAL_OPTIONS } from '@/cli/global-options';
import { GROUPS } from '@/cli/groups';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** Prints what can follow the words, in the form that the script of the shell reads. */
export function printCompletions(operations: readonly ManifestOperation[], words: readonly string[]): void {
  const definitions = allCommands(operations);
  const root = new RootCommand();
  const groups = new Set(definitions.flatMap(({ name }) => (name.includes(' ') ? [name.replace(/ .*/, '')] : [])));
  for (const name of groups) root.command(name, GROUPS[name]?.summary ?? name);
  for (const { name, summary, options = [], arguments: taken = [] } of definitions) {
    const command = root.command(name, summary);
    for (const { flag, short, description, value, choices = [] } of [...options, ...GLOBAL_OPTIONS]) {
      const first = description.split('. ')[0] ?? '';
      if (value === undefined) command.option(flag, first, short);
      else command.option(flag, first, (complete) => offer(complete, choices), short);
    }
    for (const { name: argument, choices = [] } of taken)
      command.argument(argument, (complete) => offer(complete, choices));
  }
  root.parse([...words]);
}

function offer(complete: Complete, choices: readonly string[]): void {
  for (const choice of choices) complete(choice, '');
}
