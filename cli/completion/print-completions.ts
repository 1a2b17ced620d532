import { listCommands } from '@/cli/available-commands';
import { type Candidate, findNext } from '@/cli/completion/candidates';
import { CommandContext } from '@/cli/context';
import { Failure } from '@/cli/failure';
import { listMatches } from '@/cli/operation/references';
import type { Streams } from '@/cli/output/streams';
import type { Environment } from '@/cli/settings';
import type { Manifest } from '@/lib/openapi/manifest';

/** Completion must not keep the user waiting longer than this. */
const PATIENCE_MS = 1_500;
/** Codes that the shell scripts understand: whether files may follow if there are no candidates. */
const DIRECTIVE = { files: 0, noFiles: 4 };
/** Words that no shell needs to quote. */
const PLAIN = /^[\w@.+-]+$/;

/** Prints what can follow the words, one candidate with its description per line, as the shell scripts expect. */
export async function printCompletions(
  manifest: Manifest,
  words: readonly string[],
  env: Environment,
  streams: Streams,
): Promise<void> {
  const next = findNext(await listCommands(manifest.operations), words);
  const current = (words.at(-1) ?? '').replace(/^--[\w-]+=/, '');
  const candidates =
    next.kind === 'words' ? next.candidates : next.kind === 'file' ? [] : await findOnServer(next.reference, current);
  const lines = candidates
    .filter(({ word }) => word.startsWith(current))
    .map(({ word, description }) => `${word}\t${description.split(/\.(?: |$)|\n/)[0] ?? ''}`);
  const directive = next.kind === 'file' ? DIRECTIVE.files : DIRECTIVE.noFiles;
  streams.stdout.write(`${[...lines, `:${directive}`].join('\n')}\n`);

  /** Finds objects of that name on the server. Returns none if it does not answer. */
  async function findOnServer(kind: Parameters<typeof listMatches>[1], typed: string): Promise<Candidate[]> {
    const options = { tokenStdin: false, json: true, yes: false, timeoutMs: PATIENCE_MS };
    const context = new CommandContext({ streams, env, now: Date.now, manifest }, options);
    const all = await listMatches(context, kind, typed).catch((fault: unknown) => {
      if (fault instanceof Failure) return [];
      throw fault;
    });
    return all.map(({ id, name, prefixes }) => {
      const prefix = prefixes.at(-1) ?? id;
      return PLAIN.test(name) ? { word: name, description: prefix } : { word: prefix, description: name };
    });
  }
}
