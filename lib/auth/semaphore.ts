import { ApiError } from '@/lib/http/api-error';

/** Lets so many pieces of work run at a time; the rest waits in order, and what would wait too long is refused. */
export class Slots {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly width: number,
    private readonly longestQueue: number,
  ) {}

  /** @throws ApiError service_unavailable when the queue is full */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.width) {
      if (this.#waiting.length >= this.longestQueue) {
        throw new ApiError('service_unavailable', 'Too many people sign in at this moment.', {
          headers: { 'Retry-After': '2' },
        });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
