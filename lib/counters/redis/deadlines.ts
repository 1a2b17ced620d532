import type { Millis } from '@/lib/units';

/** How long a connection may be silent while it owes an answer. */
const SILENCE: Millis = 2_000;
/** Ticks of the timer in the shorter of both times. */
const TICKS = 4;

interface Call {
  /** Ticks since it was sent. */
  age: number;
  reject: (error: Error) => void;
}

interface DeadlinesOptions {
  /** In milliseconds; an answer may take a quarter longer. */
  timeout: Millis;
  late: () => Error;
  /** Called when nothing was answered for two seconds although something is owed, then every two seconds. */
  silent: () => void;
}

/**
 * Gives up calls that are not answered in time, by one timer for all of them: a timer for each costs as much as sending
 * the call. It counts ticks instead of time, so that a process that was busy itself reads what has arrived
 * before it gives up.
 */
export class Deadlines {
  readonly #calls = new Set<Call>();
  readonly #tick: Millis;
  /** Calls without an answer, those that were given up included. */
  #owed = 0;
  /** Ticks since the last answer. */
  #silence = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: DeadlinesOptions) {
    this.#tick = Math.min(options.timeout, SILENCE) / TICKS;
  }

  /** The answer, or the fault `late` when it takes too long. The call itself continues; its outcome is unknown. */
  follow<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const call: Call = { age: 0, reject };
      this.#calls.add(call);
      this.#sent();
      answer.then(
        (value) => {
          this.#calls.delete(call);
          this.#answered();
          resolve(value);
        },
        (error: unknown) => {
          this.#calls.delete(call);
          this.#answered();
          reject(error);
        },
      );
    });
  }

  /** The answer, however long it takes; silence is noticed all the same. */
  watch<T>(answer: Promise<T>): Promise<T> {
    this.#sent();
    return answer.finally(() => this.#answered());
  }

  #sent(): void {
    this.#owed += 1;
    this.#timer ??= this.#arm();
  }

  #answered(): void {
    this.#owed -= 1;
    this.#silence = 0;
  }

  /** Not cleared with the last answer: under load the next call is never far. */
  #arm(): NodeJS.Timeout {
    return setTimeout(() => this.#age(), this.#tick).unref();
  }

  #age(): void {
    this.#timer = this.#owed === 0 ? null : this.#arm();
    for (const call of this.#calls) {
      call.age += 1;
      // The first tick may have come right after it was sent.
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
