// Entry point of `sluice`. Reads the manifest, finds and runs the command, and turns the result into an exit code. It
// eagerly imports only what every start needs; `npm run bench -- cli` measures that.
import { readFileSync } from 'node:fs';
import { EXIT } from '@/cli/failure';
import type { Manifest } from '@/lib/openapi/manifest';

const USUAL_WIDTH = 80;
const { stdout, stderr, env, argv } = process;

for (const stream of [stdout, stderr]) {
  // Terminals without a size report 0.
  if (stream.isTTY && stream.columns === 0) stream.columns = USUAL_WIDTH;
  // Closing the pipe early is fine; `head` does it.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done);
    if (stream === stdout) stderr.write(`error: The output cannot be written (${error.code}).\n`);
    process.exit(EXIT.refused);
  });
}
process.once('SIGINT', () => {
  // The terminal prints ^C at the cursor, so the shell's prompt needs a new line.
  if (stderr.isTTY) process.once('exit', () => stderr.write('\n'));
  process.exit(EXIT.interrupted);
});

process.exitCode = await run(argv.slice(2).map(normalizeFlag));

async function run(words: readonly string[]): Promise<number> {
  const manifest: Manifest = JSON.parse(readFileSync(new URL('../manifest.json', import.meta.url), 'utf8'));
  if (words.length === 1 && /^(-V|--version)$/.test(words[0] ?? '')) {
    stdout.write(`${manifest.version}\n`);
    return EXIT.done;
  }
  if (words[0] === 'complete' && words[1] === '--') {
    const { printCompletions } = await import('@/cli/completion/print-completions');
    await printCompletions(manifest, words.slice(2), env, process);
    return EXIT.done;
  }
  const { runProgram } = await import('@/cli/run-program');
  return runProgram(manifest, words, env, process);
}

/** Accepts underscores in options, because API fields use them. */
function normalizeFlag(word: string): string {
  return word.replace(/^--[\w.-]+/, (flag) => flag.replaceAll('_', '-'));
}
