import { readFileSync } from 'node:fs';
import type { CommandContext } from '@/cli/context';
import { createUsageFailure } from '@/cli/failure';
import { isSecretName } from '@/cli/operation/fields';
import { isWholeSecret } from '@/cli/operation/references';

/**
 * Reads `--data`: JSON, the name of a JSON file, or `-` for stdin.
 * @param secrets members that may be secrets despite their name
 * @throws Failure also if JSON on the command line contains a secret, which others could see
 */
export async function readJsonData(
  context: CommandContext,
  data: string,
  secrets: readonly string[] = [],
): Promise<unknown> {
  if (data === '-') {
    if (context.options.tokenStdin) throw createUsageFailure('--data - and --token-stdin cannot both read stdin.');
    return parseJson(await context.readAllStdin(), 'stdin');
  }
  if (/^\s*[[{]/.test(data)) {
    const value = parseJson(data, '--data');
    const secret = findSecret(value, secrets);
    if (secret === null) return value;
    throw createUsageFailure(
      `${secret} is or may be a secret, which others on this machine can now see.`,
      'Put the body into a file, or pipe it, with --data -.',
    );
  }
  let text: string;
  try {
    text = readFileSync(data, 'utf8');
  } catch (error) {
    throw createUsageFailure(`${data} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  return parseJson(text, data);
}

/** @param place source of the text, for the error @throws Failure */
export function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw createUsageFailure(`What ${place} holds is not valid JSON.`);
  }
}

/** Returns the path of the first secret. Null if there is none. */
function findSecret(value: unknown, secrets: readonly string[], path = ''): string | null {
  if (typeof value === 'string') return isWholeSecret(value) ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const isOne = isSecretName(name) || secrets.includes(at);
    if (isOne && member !== null && member !== '') return at;
    const inner = findSecret(member, secrets, at);
    if (inner !== null) return inner;
  }
  return null;
}
