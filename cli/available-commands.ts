import type { CommandDefinition } from '@/cli/command';
import { COMMANDS } from '@/cli/commands';
import { GROUPS } from '@/cli/groups';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** Returns all commands, sorted. A command in `COMMANDS` replaces the generated one of the same name. */
export async function listCommands(operations: readonly ManifestOperation[]): Promise<CommandDefinition[]> {
  return sortCommands([...(await generateCommands(omitSpecialCommands(operations))), ...COMMANDS]);
}

/** Generates commands. The import is deferred, because the help of `sluice` does not need it. */
async function generateCommands(operations: readonly ManifestOperation[]): Promise<CommandDefinition[]> {
  const { buildOperationCommands } = await import('@/cli/operation/operation-commands');
  return buildOperationCommands(operations);
}

/** Returns the commands that these words can mean. Generating all of them would take longer than most commands run. */
export async function selectCommands(
  operations: readonly ManifestOperation[],
  words: readonly string[],
): Promise<CommandDefinition[]> {
  const [first = '', second = ''] = words;
  // The top-level help lists only the names of groups.
  if (first === '' || /^-(h|V|-help|-version)$/.test(first)) {
    return sortCommands([...omitSpecialCommands(operations).map(createPlaceholder), ...COMMANDS]);
  }
  const isNamed = ({ name }: { name: string }) => name === `${first} ${second}`;
  const isInGroup = ({ name }: { name: string }) => name === first || name.startsWith(`${first} `);
  for (const isMeant of [isNamed, isInGroup]) {
    const own = COMMANDS.filter(isMeant);
    const matching = operations.filter(({ command }) => isMeant({ name: command }));
    if (own.length + matching.length > 0)
      return sortCommands([...(await generateCommands(omitSpecialCommands(matching))), ...own]);
  }
  return listCommands(operations);
}

/** Creates a placeholder with name and summary, for a list of groups. */
function createPlaceholder({ command, summary }: ManifestOperation): CommandDefinition {
  return { name: command, summary, examples: [], run: async () => undefined };
}

function omitSpecialCommands(operations: readonly ManifestOperation[]): ManifestOperation[] {
  const own = new Set(COMMANDS.map(({ name }) => name));
  return operations.filter(({ command }) => !own.has(command));
}

/** Sorts by the order of groups in the help, then by name. */
function sortCommands(commands: readonly CommandDefinition[]): CommandDefinition[] {
  const sections = Object.keys(GROUPS);
  const findSectionIndex = ({ name }: CommandDefinition) => sections.indexOf(name.replace(/ .*/, ''));
  return commands.toSorted(
    (one, other) => findSectionIndex(one) - findSectionIndex(other) || (one.name < other.name ? -1 : 1),
  );
}
