/** Thrown if the queue of a semaphore is full. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';

  /** Compares names, because several bundles share one semaphore (`lib/db/errors.ts`). */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'QueueFull';
  }
}

/** Runs at most `permits` tasks at a time. Up to `longestQueue` other tasks wait, first come, first served. */
export class Semaphore {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly permits: number,
    private readonly longestQueue: number,
  ) {}

  /** True if the semaphore would reject the next task. */
  get isFull(): boolean {
    return this.#running >= this.permits && this.#waiting.length >= this.longestQueue;
  }

  /** @throws QueueFull */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.isFull) throw new QueueFull();
    if (this.#running >= this.permits) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
