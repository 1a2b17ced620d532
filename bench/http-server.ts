import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** Server in its own process, pinned to the first core if another one is free for the load. */
export interface HttpServer {
  origin: string;
  /** Processor time so far in s. NaN if the system does not report it. */
  cpu(): number;
  stop(): Promise<void>;
  /** Stops it without answers to open requests. */
  kill(): Promise<void>;
}

const pins = cpus().length > 1 && spawnSync('taskset', ['-V']).status === 0;

/** Moves this process, which generates the load, off the servers' core. */
export function leaveFirstCore(): string {
  if (!pins) return 'servers and load share the cores';
  spawnSync('taskset', ['-acp', `1-${cpus().length - 1}`, String(process.pid)]);
  return 'the server on one core, the load on another';
}

/** Limits this process and its children to the first two cores, without pinning either. */
export function takeTwoCores(): string {
  if (pins) spawnSync('taskset', ['-acp', '0-1', String(process.pid)]);
  return pins ? 'all processes on the same two cores' : 'all processes share the cores';
}

/**
 * Starts `node <args>` and waits until `path` answers.
 * @param place the first core, or any that this process may use
 */
export function startServer(
  args: readonly string[],
  port: number,
  path: string,
  env: Record<string, string> = {},
  place: 'first' | 'anywhere' = 'first',
): Promise<HttpServer> {
  return startProgram([process.execPath, ...args], port, path, env, place);
}

/** Starts any other program that is a single process in the foreground. */
export async function startProgram(
  args: readonly string[],
  port: number,
  path: string,
  env: Record<string, string> = {},
  place: 'first' | 'anywhere' = 'first',
): Promise<HttpServer> {
  const pin = pins && place === 'first' ? ['taskset', '-c', '0'] : [];
  const [command = '', ...rest] = [...pin, ...args];
  const child: ChildProcess = spawn(command, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const origin = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended while starting.`);
    if (await fetch(`${origin}${path}`).catch(() => null)) break;
    await wait(50);
  }
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  return {
    origin,
    cpu: () => cpuSeconds(child.pid),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** Returns user and system time of a process (proc(5), fields 14 and 15 of `stat`, in hundredths of a second). */
export function cpuSeconds(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}
