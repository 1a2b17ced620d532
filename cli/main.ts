// `sluice`: reads the manifest, finds the command, runs it, and turns whatever happens into an exit code.
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import type { CommandDefinition } from '@/cli/command';
import { COMMANDS } from '@/cli/commands';
import { CommandContext } from '@/cli/context';
import { EXIT, Failure } from '@/cli/failure';
import { GROUPS } from '@/cli/groups';
import { operationCommands } from '@/cli/operation/operation-commands';
import { hasColours, painter } from '@/cli/output/colour';
import { programOf } from '@/cli/program';
import type { Manifest } from '@/lib/openapi/manifest';

const USUAL_WIDTH = 80;
const { stdout, stderr, env, argv } = process;
// The process itself: to open stdin takes time, and most commands do not.
const world = { streams: process, env, now: Date.now };

for (const stream of [stdout, stderr]) {
  // A terminal that does not know its size says 0.
  if (stream.isTTY && stream.columns === 0) stream.columns = USUAL_WIDTH;
  // A reader that has seen enough, such as `head`, is no fault.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done);
    throw error;
  });
}
process.once('SIGINT', () => process.exit(EXIT.interrupted));

const manifest: Manifest = JSON.parse(readFileSync(new URL('../manifest.json', import.meta.url), 'utf8'));
process.exitCode = await run(argv.slice(2).map(asFlag));

async function run(words: readonly string[]): Promise<number> {
  let code: number = EXIT.done;
  if (words[0] === 'complete' && words[1] === '--') {
    const { printCompletions } = await import('@/cli/completion');
    printCompletions(commandsOf(manifest), words.slice(2));
    return code;
  }
  const program = programOf(commandsFor(words), manifest.version, async (command, input, options) => {
    code = (await command.run(new CommandContext({ ...world, manifest }, options), input)) ?? EXIT.done;
  });
  try {
    if (words.length === 0) program.help();
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return report(error, words.includes('--json'));
  }
}

/** Members of the API have underscores, options have dashes; either is understood. */
function asFlag(word: string): string {
  return word.replace(/^--[\w.-]+/, (flag) => flag.replaceAll('_', '-'));
}

/** The commands that these words can mean, since to make all of them takes longer than most of what they do. */
function commandsFor(words: readonly string[]): CommandDefinition[] {
  const [first = ''] = words;
  const { operations } = manifest;
  // Of a group the help of `sluice` itself says only that it is there.
  if (first === '' || /^-(h|V|-help|-version)$/.test(first)) {
    const heads = new Map(operations.map((operation) => [operation.command.replace(/ .*/, ''), operation]));
    return commandsOf({ operations: [...heads.values()] });
  }
  const isOf = (name: string) => name === first || name.startsWith(`${first} `);
  const some = operations.filter(({ command }) => isOf(command));
  if (some.length > 0 || COMMANDS.some(({ name }) => isOf(name))) {
    return commandsOf({ operations: some }).filter(({ name }) => isOf(name));
  }
  return commandsOf(manifest);
}

/** All commands by name: those with a form of their own in place of what the manifest makes. */
function commandsOf({ operations }: Pick<Manifest, 'operations'>): CommandDefinition[] {
  const own = new Set(COMMANDS.map(({ name }) => name));
  const made = operationCommands(operations.filter(({ command }) => !own.has(command)));
  const sections = Object.keys(GROUPS);
  const place = ({ name }: CommandDefinition) => sections.indexOf(name.replace(/ .*/, ''));
  return [...made, ...COMMANDS].sort((one, other) => place(one) - place(other) || (one.name < other.name ? -1 : 1));
}

/** Writes what went wrong to stderr; answers the exit code. */
function report(error: unknown, isJson: boolean): number {
  if (error instanceof CommanderError) {
    // The help and the version, when somebody asked for them.
    if (error.exitCode === 0) return EXIT.done;
    if (error.code === 'commander.help') return EXIT.usage;
  }
  const failure = failureOf(error);
  const { exitCode, code, message, more } = failure;
  if (isJson) {
    const { details, hint: _, ...rest } = more;
    const body = { error: code, error_description: message, ...(details === undefined ? {} : { details }) };
    stderr.write(`${JSON.stringify({ ...body, ...(rest.requestId && { request_id: rest.requestId }) })}\n`);
    return exitCode;
  }
  const paint = painter(hasColours(stderr.isTTY === true, env));
  const lines = [
    `${paint('red', 'error:')} ${message}`,
    ...(more.details ?? []).map(({ path, message: wrong }) => `  ${path === '' ? 'body' : path} ${wrong}`),
    ...(more.hint === undefined ? [] : [paint('dim', more.hint)]),
    ...(more.requestId === undefined ? [] : [paint('dim', `request ${more.requestId}`)]),
  ];
  stderr.write(`${lines.join('\n')}\n`);
  return exitCode;
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '').replace(/\n/g, ' ');
    const isToken = /unknown option '--(token|password|secret)/.test(message);
    const hint = isToken
      ? 'Secrets are never arguments, which other users can see: set SLUICE_TOKEN, or use --token-stdin.'
      : 'Add --help to see how it is used.';
    return new Failure(EXIT.usage, 'invalid_usage', `${message.replace(/\.$/, '')}.`, { hint });
  }
  // A fault of this program: its place is worth more than a sentence.
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Failure(EXIT.refused, 'internal_error', text);
}
