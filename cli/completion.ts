import { type Complete, RootCommand, script } from '@bomb.sh/tab';
import type { CommandDefinition } from '@/cli/command';
import { GROUPS } from '@/cli/groups';
import { GLOBAL_OPTIONS } from '@/cli/program';

/** What a shell reads to complete `sluice`; it calls `sluice complete -- <words>`. */
export function completionScript(shell: string): string {
  const lines: string[] = [];
  const { log } = console;
  // The library prints.
  console.log = (text: string) => lines.push(text);
  try {
    script(shell, 'sluice', 'sluice');
  } finally {
    console.log = log;
  }
  return `${lines.join('\n')}\n`;
}

/** Prints what can follow the words, in the form that the script of the shell reads. */
export function printCompletions(definitions: readonly CommandDefinition[], words: readonly string[]): void {
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
