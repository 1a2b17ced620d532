// Checks the settings before anything is created: Node's version, the .env files, and the address to listen on.
import { createServer } from 'node:http';

/** Ends the process with a sentence for the operator. */
export function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

/** Ends the process if Node is too old. */
export function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 12)) fail(`Sluice needs Node 20.12 or later; this is ${process.version}.`);
}

/**
 * Reads `.env` and its companions in the working directory into the environment. The real environment takes precedence
 * over `.env.production.local`, `.env.local`, `.env.production` and `.env`.
 */
export async function loadEnvFiles(dev: boolean): Promise<void> {
  const { default: nextEnv } = await import('@next/env');
  nextEnv.loadEnvConfig(process.cwd(), dev, {
    info: () => undefined,
    error: (sentence: string, cause?: NodeJS.ErrnoException) => fail(`${sentence} (${cause?.code ?? cause?.message}).`),
  });
}

/** An address to listen on. */
interface Address {
  host: string | undefined;
  port: number;
}

/**
 * Returns the address to listen on. Ends the process if it is invalid or taken. This check comes before a database is
 * created, or the password of the first owner is shown once.
 * @param options `isServing`: whether the address must be free; `dev`: a development server lets everybody read logs and
 * paths, so by default only this machine can reach it
 */
export async function requireFreeAddress({
  isServing,
  dev = false,
}: {
  isServing: boolean;
  dev?: boolean;
}): Promise<Address> {
  const { PORT: value = '', HOSTNAME_BIND } = process.env;
  const host = HOSTNAME_BIND || (dev ? '127.0.0.1' : undefined);
  const port = value.trim() === '' ? 3000 : Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    fail('Invalid configuration.\nPORT must be a number from 0 to 65535.');
  if (isServing) {
    const probe = createServer();
    await new Promise<unknown>((resolve) => {
      probe.once('error', (error: NodeJS.ErrnoException) => fail(explainListenFailure(error, { host, port })));
      probe.listen(port, host, () => probe.close(resolve));
    });
  }
  return { host, port };
}

/** Returns the sentence for the operator. */
export function explainListenFailure({ code, message }: NodeJS.ErrnoException, { host, port }: Address): string {
  if (code === 'EADDRINUSE') return `PORT ${port} is taken: another program listens there.`;
  if (code === 'EACCES') return `PORT ${port} may not be listened on by this user.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `HOSTNAME_BIND names ${host}, which is no address of this machine (${code}).`;
  return `Cannot listen on PORT ${port}: ${message}.`;
}
