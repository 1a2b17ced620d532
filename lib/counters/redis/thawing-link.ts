import { setTimeout as wait } from 'node:timers/promises';
import type { RedisLink, ReplyType } from '@/lib/counters/redis/link';
import type { Millis } from '@/lib/units';

/** Silence after which the process may have been frozen. Platforms freeze a process only between requests. */
const PAUSE: Millis = 1_000;
/** Longest wait for another connection. A silent connection is dropped after two seconds. */
const LONGEST: Millis = 3_000;
/** Pause between two checks. */
const STEP: Millis = 20;

/**
 * A link that is checked before its first call after a pause, for processes that a platform freezes. A process notices
 * only after its thaw that a connection was closed. A call on that connection would fail, and could not be repeated: it
 * may have been counted.
 */
export class ThawingLink implements RedisLink {
  #answeredAt: Millis;
  #checking: Promise<void> | null = null;

  /** @param monotonic clock in milliseconds that never goes back */
  constructor(
    private readonly link: RedisLink,
    private readonly monotonic: () => Millis,
  ) {
    this.#answeredAt = monotonic();
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
    if (this.#checking === null && this.monotonic() - this.#answeredAt < PAUSE) return null;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  run(
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
    reply?: ReplyType,
  ): Promise<unknown> {
    return this.#call(() => this.link.run(script, keys, args, reply));
  }

  runCommand(name: string, args: readonly (string | number)[]): Promise<unknown> {
    return this.#call(() => this.link.runCommand(name, args));
  }

  async *scan(pattern: string): AsyncGenerator<string[]> {
    await this.thaw();
    yield* this.link.scan(pattern);
  }

  close(): void {
    this.link.close();
  }

  async #call<T>(call: () => Promise<T>): Promise<T> {
    await this.thaw();
    const answer = await call();
    this.#answeredAt = this.monotonic();
    return answer;
  }

  /** Resolves when the link answers, or after `LONGEST`. Then the call itself reports the outage. */
  async #check(): Promise<void> {
    const start = this.monotonic();
    const isAnswering = () =>
      this.link.runCommand('ping', []).then(
        () => true,
        () => false,
      );
    while (!(await isAnswering()) && this.monotonic() - start < LONGEST) await wait(STEP);
    this.#answeredAt = this.monotonic();
  }
}
