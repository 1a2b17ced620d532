import { readFileSync } from 'node:fs';
import type { CommandContext } from '@/cli/context';
import { wrongUsage } from '@/cli/failure';

/** What `--data` stands for: JSON, a file that holds it, or `-` for stdin. @throws Failure */
export async function jsonData(context: CommandContext, data: string): Promise<unknown> {
  if (data === '-') {
    if (context.options.tokenStdin) throw wrongUsage('--data - and --token-stdin cannot both read stdin.');
    return parseJson(await context.stdin(), 'stdin');
  }
  if (/^\s*[[{]/.test(data)) return parseJson(data, '--data');
  let text: string;
  try {
    text = readFileSync(data, 'utf8');
  } catch (error) {
    throw wrongUsage(`${data} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  return parseJson(text, data);
}

/** @param place of the text, for the error @throws Failure */
export function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongUsage(`What ${place} holds is not valid JSON.`);
  }
}
