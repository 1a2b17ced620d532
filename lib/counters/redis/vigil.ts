import { availableParallelism } from 'node:os';
import { processorWait } from '@/lib/counters/redis/processor-wait';
import type { Millis } from '@/lib/units';

/** Calls that usually take longer are waited for asleep. */
const QUICK: Millis = 0.2;
/** The share of the newest call in what is usual. */
const NEWEST = 1 / 8;

/** How often it is asked whether others need the processors. */
const LOOK: Millis = 100;
/** For how long they are then left to them: twice as long each time, so that a moment costs little and a crowd as well. */
const [SHORTEST_REST, LONGEST_REST]: [Millis, Millis] = [100, 1_600];
/** The share of time that this process waits for a processor, from which on others need them: beside Redis alone 0.05. */
const CROWDED = 0.1;

interface VigilOptions {
  /** In milliseconds. */
  monotonic: () => Millis;
  /** Runs work in the next turn of the event loop, which then does not sleep before. */
  nextTurn: (work: () => void) => void;
  /** Processors of the machine: where there is one, the server needs it. */
  processors: number;
  /** How long this process has waited for a processor so far, in milliseconds; null where nobody knows. */
  waited: () => Millis | null;
}

const OWN: VigilOptions = {
  monotonic: () => performance.now(),
  nextTurn: (work) => void setImmediate(work),
  processors: availableParallelism(),
  waited: processorWait,
};

/**
 * Keeps the event loop awake while a quick call is under way. A process that sleeps until a reply of a Redis on the same
 * machine is there takes about as long to fall asleep and to wake as Redis takes to decide, and as much of the processor.
 * No call is waited for so for longer than a quick one takes, and none while this process has to wait for a processor
 * itself, or cannot know.
 */
export class Vigil {
  #underWay = 0;
  #usual = Number.POSITIVE_INFINITY;
  #until = 0;
  #looked: { at: Millis; waited: Millis } | null = null;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #nextRest = SHORTEST_REST;
  #isKept = false;

  constructor(private readonly options: VigilOptions = OWN) {}

  /** Whether the event loop is kept awake. */
  get isKept(): boolean {
    return this.#isKept;
  }

  async during<T>(call: () => Promise<T>): Promise<T> {
    const start = this.options.monotonic();
    this.#underWay += 1;
    this.#keep(start);
    try {
      return await call();
    } finally {
      this.#underWay -= 1;
      const took = this.options.monotonic() - start;
      this.#usual = Number.isFinite(this.#usual) ? this.#usual + NEWEST * (took - this.#usual) : took;
    }
  }

  #keep(now: Millis): void {
    if (this.#usual > QUICK || this.options.processors < 2) return;
    if (this.#looked === null || now - this.#looked.at >= LOOK) this.#look(now);
    if (now < this.#restsUntil) return;
    this.#until = now + QUICK;
    if (this.#isKept) return;
    this.#isKept = true;
    this.options.nextTurn(this.#turn);
  }

  #look(now: Millis): void {
    const told = this.options.waited();
    const [waited, before] = [told ?? 0, this.#looked];
    this.#looked = { at: now, waited };
    const isCrowded = before !== null && waited - before.waited >= CROWDED * (now - before.at);
    if (told === null || isCrowded) {
      this.#restsUntil = now + this.#nextRest;
      this.#nextRest = Math.min(LONGEST_REST, 2 * this.#nextRest);
    } else if (now >= this.#restsUntil) this.#nextRest = SHORTEST_REST;
  }

  readonly #turn = () => {
    this.#isKept = this.#underWay > 0 && this.options.monotonic() < this.#until;
    if (this.#isKept) this.options.nextTurn(this.#turn);
  };
}
