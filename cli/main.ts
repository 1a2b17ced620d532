// `sluice`: reads the manifest, finds the command, runs it, and turns whatever happens into an exit code. It imports at
// once only what every start needs; `npm run bench -- cli` measures that.
import { readFileSync } from 'node:fs';
import { EXIT } from '@/cli/failure';
import type { Manifest } from '@/lib/openapi/manifest';

const USUAL_WIDTH = 80;
const { stdout, stderr, env, argv } = process;

for (const stream of [stdout, stderr]) {
  // A terminal that does not know its size says 0.
  if (stream.isTTY && stream.columns === 0) stream.columns = USUAL_WIDTH;
  // A reader that has seen enough, such as `head`, is no fault.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done);
    throw error;
  });
}
process.once('SIGINT', () => {
  // The terminal shows ^C where the cursor is; the shell's prompt goes below it.
  if (stderr.isTTY) process.once('exit', () => stderr.write('\n'));
  process.exit(EXIT.interrupted);
});

process.exitCode = await run(argv.slice(2).map(asFlag));

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

/** Members of the API have underscores, options have dashes; either is understood. */
function asFlag(word: string): string {
  return word.replace(/^--[\w.-]+/, (flag) => flag.replaceAll('_', '-'));
}
