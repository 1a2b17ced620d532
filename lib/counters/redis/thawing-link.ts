import type { RedisLink, ReplyType } from '@/lib/counters/redis/link';
import { ThawCheck } from '@/lib/db/thaw-check';
import type { Millis } from '@/lib/units';

/** A link that is checked before its first call after a pause, for processes that a platform freezes. */
export class ThawingLink implements RedisLink {
  readonly #check: ThawCheck;

  /** @param monotonic clock in milliseconds that never goes back */
  constructor(
    private readonly link: RedisLink,
    monotonic: () => Millis,
  ) {
    const isAnswering = () =>
      link.runCommand('ping', []).then(
        () => true,
        () => false,
      );
    this.#check = new ThawCheck(isAnswering, monotonic);
  }

  get generation(): number {
    return this.link.generation;
  }

  get isCluster(): boolean {
    return this.link.isCluster;
  }

  connect(): Promise<boolean> {
    return this.link.connect();
  }

  open(): Promise<boolean> {
    return this.link.open();
  }

  thaw(): Promise<void> | null {
    return this.#check.run();
  }

  run(
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
    reply?: ReplyType,
  ): Promise<unknown> {
    return this.#check.call(() => this.link.run(script, keys, args, reply));
  }

  runCommand(name: string, args: readonly (string | number)[]): Promise<unknown> {
    return this.#check.call(() => this.link.runCommand(name, args));
  }

  async *scan(pattern: string): AsyncGenerator<string[]> {
    await this.thaw();
    yield* this.link.scan(pattern);
  }

  close(): void {
    this.link.close();
  }
}
