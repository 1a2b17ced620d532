import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { until } from '../../fixtures/until';

/** Another program that runs in the foreground. */
export interface Program {
  stop(): Promise<void>;
}

/** Starts a program and waits until it listens. */
export async function startProgram(
  command: string,
  args: readonly string[],
  options: { port: number; env?: Record<string, string> },
): Promise<Program> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env } as unknown as NodeJS.ProcessEnv;
  const child: ChildProcess = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data) => {
      output += String(data);
    });
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await until(() => {
    if (child.exitCode !== null) throw new Error(`${command} ended while starting:\n${output}`);
    return listens(options.port);
  });
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** What curl printed of the last answer. */
export interface CurlAnswer {
  /** `HTTP/1.1`, `HTTP/2`. */
  version: string;
  status: number;
  headers: Headers;
  body: string;
}

/** Calls with curl, from an address of this machine's loopback network. */
export function curl(url: string, from: string, ...args: string[]): Promise<CurlAnswer> {
  const all = ['-s', '-i', '--path-as-is', '--max-time', '20', '--interface', from, ...args, url];
  return new Promise((resolve, reject) => {
    execFile('curl', all, (error, stdout) => {
      if (error !== null) return reject(error);
      const end = stdout.indexOf('\r\n\r\n');
      const [first = '', ...lines] = stdout.slice(0, end).split('\r\n');
      const [version = '', status] = first.split(' ');
      const headers = new Headers();
      for (const line of lines)
        headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
      resolve({ version, status: Number(status), headers, body: stdout.slice(end + 4) });
    });
  });
}
