import type { Contract } from '@/lib/contract/operation';

/** Commands whose methods in the client are written by hand: checks are batched, settlements are repeated. */
export const WRITTEN_BY_HAND: readonly string[] = ['check', 'settle'];

/** Builds the table that the client uses at run time to call each operation, by command. */
export function operationTable(contracts: readonly Contract[]): Record<string, [string, string, 0 | 1]> {
  return Object.fromEntries(
    contracts.flatMap(({ command, method, path, body }) =>
      command === undefined || WRITTEN_BY_HAND.includes(command)
        ? []
        : [[command, [method, path, body === undefined ? 0 : 1]]],
    ),
  );
}

/** Lists each noun of the table with its verbs, in the client's format: `allowlist add list,check`. */
export function commandNames(table: Readonly<Record<string, unknown>>): string {
  const names = new Map<string, string[]>();
  for (const command of Object.keys(table)) {
    const [noun = '', ...verbs] = command.split(' ');
    names.set(noun, [...(names.get(noun) ?? [noun]), ...verbs]);
  }
  return [...names.values()].map((words) => words.join(' ')).join();
}
