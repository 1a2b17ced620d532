import type { Millis } from '@/lib/units';

/** Longest silence of a connection while it owes an answer. */
const SILENCE: Millis = 2_000;
/** Ticks of the timer in the shorter of the two times. */
const TICKS = 4;

interface Call {
  /** Ticks since the call was sent. */
  age: number;
  reject: (error: Error) => void;
}

interface DeadlinesOptions {
  /** Timeout in milliseconds. An answer may take a quarter longer. */
  timeout: Millis;
  late: () => Error;
  /** Called after two seconds without any answer while one is owed, then every two seconds. */
  silent: () => void;
}

/**
 * Rejects calls that are not answered in time. One timer serves all calls, because a timer per call costs as much as
 * sending the call. It counts ticks instead of time, so that a process that was blocked reads data that has arrived
 * before it gives up.
 */
export class Deadlines {
  readonly #calls = new Set<Call>();
  readonly #tick: Millis;
  /** Calls without an answer, including rejected ones. */
  #owed = 0;
  /** Ticks since the last answer. */
  #silence = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: DeadlinesOptions) {
    this.#tick = Math.min(options.timeout, SILENCE) / TICKS;
  }

  /**
   * Returns the answer, or rejects with `late` if it takes too long. The call itself continues with an unknown outcome.
   */
  follow<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const call: Call = { age: 0, reject };
      this.#calls.add(call);
      this.#recordCommand();
      answer.then(
        (value) => {
          this.#calls.delete(call);
          this.#recordAnswer();
          resolve(value);
        },
        (error: unknown) => {
          this.#calls.delete(call);
          this.#recordAnswer();
          reject(error);
        },
      );
    });
  }

  /** Returns the answer without a timeout. Silence is still detected. */
  watch<T>(answer: Promise<T>): Promise<T> {
    this.#recordCommand();
    return answer.finally(() => this.#recordAnswer());
  }

  #recordCommand(): void {
    this.#owed += 1;
    this.#timer ??= this.#arm();
  }

  #recordAnswer(): void {
    this.#owed -= 1;
    this.#silence = 0;
  }

  /** Starts the timer. It is not cleared with the last answer, because under load the next call follows soon. */
  #arm(): NodeJS.Timeout {
    return setTimeout(() => this.#advanceAges(), this.#tick).unref();
  }

  #advanceAges(): void {
    this.#timer = this.#owed === 0 ? null : this.#arm();
    for (const call of this.#calls) {
      call.age += 1;
      // The first tick may have come right after the call was sent.
      if (call.age <= Math.ceil(this.options.timeout / this.#tick)) continue;
      this.#calls.delete(call);
      call.reject(this.options.late());
    }
    this.#silence = this.#owed === 0 ? 0 : this.#silence + 1;
    if (this.#silence * this.#tick <= SILENCE) return;
    this.#silence = 0;
    this.options.silent();
  }
}
