import { CommanderError } from 'commander';
import { selectCommands } from '@/cli/available-commands';
import { createUsageFailure, EXIT, Failure } from '@/cli/failure';
import type { Streams } from '@/cli/output/streams';
import { buildProgram } from '@/cli/program';
import type { Environment } from '@/cli/settings';
import type { Manifest } from '@/lib/openapi/manifest';

/** Runs the command of the words. Prints failures to stderr and returns the exit code. */
export async function runProgram(
  manifest: Manifest,
  words: readonly string[],
  env: Environment,
  /** The process itself, because opening stdin takes time and most commands do not read it. */
  streams: Streams,
): Promise<number> {
  let code: number = EXIT.done;
  const commands = await selectCommands(manifest.operations, words);
  const program = buildProgram(commands, manifest.version, async (command, input, options) => {
    const { CommandContext } = await import('@/cli/context');
    const context = new CommandContext({ streams, env, now: Date.now, manifest }, options);
    code = (await command.run(context, input)) ?? EXIT.done;
  });
  try {
    if (words.length === 0) program.help();
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version were requested.
      if (error.exitCode === 0) return EXIT.done;
      if (error.code === 'commander.help') return EXIT.usage;
    }
    const { reportFailure } = await import('@/cli/report-failure');
    return reportFailure(convertError(error, words), words.includes('--json'), streams.stderr, env);
  }
}

function convertError(error: unknown, words: readonly string[]): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '').replace(/\n/g, ' ');
    const isToken = /unknown option '--(token|password|secret)/.test(message);
    const isAddress =
      error.code === 'commander.excessArguments' && words.some((word) => /^(https?|mailto):/.test(word));
    const hint = isToken
      ? 'Secrets are never arguments, which other users can see: set SLUICE_TOKEN, or use --token-stdin.'
      : `${isAddress ? 'A URL that may hold a secret is no argument, which other users can see. ' : ''}Add --help to see how it is used.`;
    return new Failure(EXIT.usage, 'invalid_usage', `${message.replace(/\.$/, '')}.`, { hint });
  }
  if (error instanceof Error && 'syscall' in error && 'path' in error && 'code' in error)
    return createUsageFailure(`${String(error.path)} cannot be used (${String(error.code)}).`);
  // This is a bug, so the stack is more useful than a sentence.
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Failure(EXIT.refused, 'internal_error', text);
}
