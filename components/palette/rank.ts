import type { Command } from '@/components/palette/command';

const splitWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s/]+/)
    .filter((word) => word !== '');

/** Scores one typed word: at the start of a label word, of a keyword, or inside either. */
function scoreWord(word: string, label: string, keywords: readonly string[]): number {
  const hasWordStart = (text: string) => text.split(/[^\p{L}\p{N}_.:@-]+/u).some((part) => part.startsWith(word));
  if (hasWordStart(label)) return 10;
  if (keywords.some(hasWordStart)) return 6;
  if (label.includes(word)) return 4;
  return keywords.some((keyword) => keyword.includes(word)) ? 2 : 0;
}

/** Scores how well a command matches the search. 0 if a word does not occur in the command. */
function scoreCommand(command: Command, search: string): number {
  const label = command.label.toLowerCase();
  const keywords = (command.keywords ?? []).map((keyword) => keyword.toLowerCase());
  const text = search.trim().toLowerCase();
  if (command.last) return 0.1;
  if (command.always) return 40;
  const each = splitWords(search).map((word) => scoreWord(word, label, keywords));
  if (each.length === 0 || each.includes(0)) return 0;
  const mean = each.reduce((sum, mark) => sum + mark, 0) / each.length;
  return mean + (label === text ? 40 : label.startsWith(text) ? 20 : 0);
}

/** Bonus for recently used commands, which decides between equal matches. */
const USED = 3;

/** Returns the matching commands, best first. `recent` lists the ids of used commands, newest first. */
export function rank(commands: readonly Command[], search: string, recent: readonly string[]): Command[] {
  return commands
    .map((command) => {
      const score = scoreCommand(command, search);
      const used = recent.indexOf(command.id);
      return { command, score: score > 0 && used >= 0 ? score + USED / (used + 1) : score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ command }) => command);
}

/** Groups commands by heading, in order of first appearance. */
export function groupCommands(commands: readonly Command[]): [string, Command[]][] {
  const groups = new Map<string, Command[]>();
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups];
}
