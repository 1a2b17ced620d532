import type { Contract } from '@/lib/contract/operation';

/** What the client needs at run time to call each operation that has a command, by that command. */
export function operationTable(contracts: readonly Contract[]): Record<string, [string, string, 0 | 1]> {
  return Object.fromEntries(
    contracts.flatMap(({ command, method, path, body }) =>
      command === undefined || command === 'check' ? [] : [[command, [method, path, body === undefined ? 0 : 1]]],
    ),
  );
}

/** The verbs of each noun in the table. */
export function commandNames(table: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const names: Record<string, string[]> = {};
  for (const command of Object.keys(table)) {
    const [noun = '', ...verbs] = command.split(' ');
    names[noun] = [...(names[noun] ?? []), ...verbs];
  }
  return names;
}
