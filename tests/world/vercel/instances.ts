import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { until } from '@/tests/fixtures/until';

const RUNNER = join(import.meta.dirname, 'function-process.mjs');

/** One process of a function. It runs only while it answers, or while its `waitUntil` promises are pending. */
export class FunctionInstance {
  readonly #child: ChildProcess;
  #port = 0;
  #requests = 0;
  #frozen = false;
  #output = '';

  private constructor(
    directory: string,
    env: Record<string, string>,
    /** Called when all requests have settled. The instance then freezes, or is killed. */
    private readonly onIdle: (instance: FunctionInstance) => void,
  ) {
    this.#child = fork(RUNNER, [directory], {
      env: { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (data) => {
        this.#output += String(data);
      });
    this.#child.on('message', (message: { port?: number; settled?: true }) => {
      this.#port ||= message.port ?? 0;
      if (message.settled !== true) return;
      this.#requests -= 1;
      if (this.#requests > 0) return;
      this.#freeze();
      this.onIdle(this);
    });
  }

  /** Starts an instance and waits until it can answer. */
  static async start(
    directory: string,
    env: Record<string, string>,
    onIdle: (instance: FunctionInstance) => void,
  ): Promise<FunctionInstance> {
    const instance = new FunctionInstance(directory, env, onIdle);
    await until(() => {
      if (!instance.isAlive) throw new Error(`The function ended while starting:\n${instance.output}`);
      return instance.#port !== 0;
    });
    return instance;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Requests that are answered or whose work has not ended. */
  get requests(): number {
    return this.#requests;
  }

  get output(): string {
    return this.#output;
  }

  /** Thaws the process for a request. @returns the address that answers it */
  begin(): { host: string; port: number } {
    this.#requests += 1;
    if (this.#frozen) this.#child.kill('SIGCONT');
    this.#frozen = false;
    return { host: '127.0.0.1', port: this.#port };
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #freeze(): void {
    this.#frozen = true;
    this.#child.kill('SIGSTOP');
  }
}
