import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@/tests/fixtures/until';
import { type Answered, type Message, send } from './exchange';
import { FunctionInstance } from './instances';

export interface FunctionsOptions {
  env: Record<string, string>;
  /** Instances of each function, which take turns. */
  instances: number;
  /** Returns whether to kill an instance that has become idle. */
  kills?: () => boolean;
}

/** All instances of the functions of a deployment. */
export class Functions {
  readonly #instances = new Map<string, Promise<FunctionInstance>[]>();
  readonly #all: FunctionInstance[] = [];
  readonly #turns = new Map<string, number>();
  /** Number of instances killed while idle. */
  killed = 0;

  /** @param directory `functions` of a build output */
  constructor(
    private readonly directory: string,
    private readonly options: FunctionsOptions,
  ) {}

  /** Sends a request to the next instance in turn, and starts it if it does not run. */
  async invoke(name: string, message: Message): Promise<Answered> {
    // Several paths can be links to one function.
    const folder = realpathSync(join(this.directory, `${name}.func`));
    const turn = this.#turns.get(folder) ?? 0;
    this.#turns.set(folder, turn + 1);
    const instance = await this.#instance(folder, turn % this.options.instances);
    return send(instance.begin(), message);
  }

  /** Resolves when no instance answers or has pending work. */
  idle(): Promise<void> {
    return until(() => this.#all.every(({ isAlive, requests }) => !isAlive || requests === 0));
  }

  /** Number of instances that run, frozen or not. */
  get running(): number {
    return this.#all.filter(({ isAlive }) => isAlive).length;
  }

  get output(): string {
    return this.#all.map(({ output }) => output).join('');
  }

  stop(): void {
    for (const instance of this.#all) instance.kill();
  }

  #instance(folder: string, index: number): Promise<FunctionInstance> {
    const instances = this.#instances.get(folder) ?? [];
    this.#instances.set(folder, instances);
    const running = instances[index];
    if (running !== undefined) return running;
    const onIdle = (instance: FunctionInstance) => {
      if (this.options.kills?.() !== true) return;
      this.killed += 1;
      delete instances[index];
      instance.kill();
    };
    const starting = FunctionInstance.start(folder, this.options.env, onIdle);
    instances[index] = starting.then((instance) => {
      this.#all.push(instance);
      return instance;
    });
    return instances[index];
  }
}
