import type { CommandDefinition } from '@/cli/command';
import { COMMANDS } from '@/cli/commands';
import { GROUPS } from '@/cli/groups';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** All commands by name: those with a form of their own in place of what the manifest makes. */
export async function allCommands(operations: readonly ManifestOperation[]): Promise<CommandDefinition[]> {
  return sorted([...(await made(withoutOwn(operations))), ...COMMANDS]);
}

/** What the help of `sluice` itself does without. */
async function made(operations: readonly ManifestOperation[]): Promise<CommandDefinition[]> {
  const { operationCommands } = await import('@/cli/operation/operation-commands');
  return operationCommands(operations);
}

/** The commands that these words can mean, because to make all of them takes longer than most of what they do. */
export async function commandsFor(
  operations: readonly ManifestOperation[],
  words: readonly string[],
): Promise<CommandDefinition[]> {
  const [first = '', second = ''] = words;
  // Of a group the help of `sluice` itself says only that it is there.
  if (first === '' || /^-(h|V|-help|-version)$/.test(first)) {
    return sorted([...withoutOwn(operations).map(named), ...COMMANDS]);
  }
  const isNamed = ({ name }: { name: string }) => name === `${first} ${second}`;
  const isOf = ({ name }: { name: string }) => name === first || name.startsWith(`${first} `);
  for (const isMeant of [isNamed, isOf]) {
    const own = COMMANDS.filter(isMeant);
    const meant = operations.filter(({ command }) => isMeant({ name: command }));
    if (own.length + meant.length > 0) return sorted([...(await made(withoutOwn(meant))), ...own]);
  }
  return allCommands(operations);
}

/** No more than its name, for a list of groups. */
function named({ command, summary }: ManifestOperation): CommandDefinition {
  return { name: command, summary, examples: [], run: async () => undefined };
}

function withoutOwn(operations: readonly ManifestOperation[]): ManifestOperation[] {
  const own = new Set(COMMANDS.map(({ name }) => name));
  return operations.filter(({ command }) => !own.has(command));
}

/** By the order of their groups in the help, and then by name. */
function sorted(commands: readonly CommandDefinition[]): CommandDefinition[] {
  const sections = Object.keys(GROUPS);
  const place = ({ name }: CommandDefinition) => sections.indexOf(name.replace(/ .*/, ''));
  return commands.toSorted((one, other) => place(one) - place(other) || (one.name < other.name ? -1 : 1));
}
