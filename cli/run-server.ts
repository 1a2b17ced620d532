import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EXIT, type ExitCode } from '@/cli/failure';

/** The server is next to `dist`, where this file is bundled: in a clone, an installed package and a container. */
const SERVER = new URL('../../server.mjs', import.meta.url);
/** Flags of `npm start`: V8 collects short-lived objects less often. */
const FLAGS = ['--max-semi-space-size=32'];

/** Runs the server of this installation in the working directory. @param words its flags and arguments */
export async function runServer(words: readonly string[]): Promise<ExitCode> {
  const { spawn } = await import('node:child_process');
  const server = spawn(process.execPath, [...FLAGS, fileURLToPath(SERVER), '--here', ...words], { stdio: 'inherit' });
  // The server handles signals itself; other commands exit at once.
  process.removeAllListeners('SIGINT');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => server.kill(signal));
  const [code] = await once(server, 'exit');
  return code === 0 ? EXIT.done : EXIT.refused;
}
