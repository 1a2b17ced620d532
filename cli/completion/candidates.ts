import type { ArgumentDefinition, CommandDefinition, OptionDefinition } from '@/cli/command';
import { GLOBAL_OPTIONS } from '@/cli/global-options';
import { GROUPS } from '@/cli/groups';

/** Possible next word. */
export interface Candidate {
  word: string;
  description: string;
}

/** Possible next word: one of a list, a file name, the name of an object on the server, or anything. */
export type Next =
  | { kind: 'words'; candidates: readonly Candidate[] }
  | { kind: 'file' }
  | { kind: 'reference'; reference: NonNullable<ArgumentDefinition['reference']> };

const NOTHING: Next = { kind: 'words', candidates: [] };

/**
 * Returns what can follow the words. @param typed all words after `sluice`; the last one is incomplete and may be empty
 */
export function findNext(definitions: readonly CommandDefinition[], typed: readonly string[]): Next {
  const words = [...typed];
  const current = words.pop() ?? '';
  const named: string[] = [];
  let command: CommandDefinition | undefined;
  let position = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word.startsWith('-')) {
      const option = findOption(command, word);
      if (option?.value === undefined || word.includes('=')) continue;
      if (index === words.length - 1) return findValues(option);
      index += 1;
    } else if (command === undefined) {
      named.push(word);
      command = definitions.find(({ name }) => name === named.join(' '));
    } else position += 1;
  }
  const [, flag] = /^(--[\w-]+)=/.exec(current) ?? [];
  if (flag !== undefined) {
    const option = findOption(command, flag);
    return option?.value === undefined ? NOTHING : findValues(option);
  }
  if (current.startsWith('-')) return { kind: 'words', candidates: listFlags(command, words) };
  if (command === undefined) return { kind: 'words', candidates: suggestCommands(definitions, named) };
  const argument = command.arguments?.[position];
  return argument === undefined ? NOTHING : findValues(argument);
}

function suggestCommands(definitions: readonly CommandDefinition[], named: readonly string[]): Candidate[] {
  const start = named.map((word) => `${word} `).join('');
  const found = new Map<string, string>();
  for (const { name, summary } of definitions.filter((definition) => definition.name.startsWith(start))) {
    const [word = '', ...rest] = name.slice(start.length).split(' ');
    found.set(word, rest.length > 0 ? (GROUPS[word]?.summary ?? word) : summary);
  }
  return [...found].map(([word, description]) => ({ word, description }));
}

/** Lists the options of a command that are not given yet, global options last. */
function listFlags(command: CommandDefinition | undefined, words: readonly string[]): Candidate[] {
  const isGiven = ({ flag, repeatable = false }: OptionDefinition) => !repeatable && words.includes(`--${flag}`);
  return listOptions(command)
    .filter((option) => !isGiven(option))
    .flatMap(({ flag, negatable = false, description }) => [
      { word: `--${flag}`, description },
      ...(negatable ? [{ word: `--no-${flag}`, description: 'The opposite.' }] : []),
    ]);
}

function listOptions(command: CommandDefinition | undefined): OptionDefinition[] {
  const own = command?.options ?? [];
  const flags = new Set(own.map(({ flag }) => flag));
  const help = { flag: 'help', short: 'h', description: 'Show the help.' };
  return [...own, ...GLOBAL_OPTIONS.filter(({ flag }) => !flags.has(flag)), help];
}

function findOption(command: CommandDefinition | undefined, word: string): OptionDefinition | undefined {
  const name = word.replace(/^--?/, '').replace(/=.*/s, '');
  return listOptions(command).find(({ flag, short }) => (word.startsWith('--') ? flag : short) === name);
}

function findValues(taken: ArgumentDefinition | OptionDefinition): Next {
  const { choices, reference } = taken;
  if (choices !== undefined) return { kind: 'words', candidates: choices.map((word) => ({ word, description: '' })) };
  if (reference !== undefined) return { kind: 'reference', reference };
  const isFile = 'flag' in taken ? taken.value === 'FILE' : taken.name === 'file';
  return isFile ? { kind: 'file' } : NOTHING;
}
