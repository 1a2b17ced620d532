import { type CounterStore, StoreUnavailable } from '@/lib/counters/store';

export interface GroupOptions {
  /** Groups in flight at once; 1 (the default) for a store that works synchronously. */
  depth?: number;
  /** The largest group, 512 by default; a submission that is larger is a group of its own. */
  maximumGroup?: number;
  /**
   * The queue is divided evenly over the free calls as long as each gets at least this many, so that a server decides
   * one group while this process reads the answers of another. Not divided by default.
   */
  divideFrom?: number;
  /** The longest queue; 10,000 by default. */
  maximumWaiting?: number;
}

/**
 * A file decides within one turn of the event loop. A server decides the next group while the answer to the last one is
 * on its way: Redis, which is quick, gets calls of a few decisions each, a libSQL server, which commits each time, does
 * not.
 */
const BY_KIND: Readonly<Record<CounterStore['kind'], GroupOptions>> = {
  embedded: { depth: 1 },
  local: { depth: 1 },
  redis: { depth: 2, divideFrom: 2 },
  remote: { depth: 4 },
};

/** How a store groups its decisions. */
export function groupOptions({ kind }: Pick<CounterStore, 'kind'>): GroupOptions {
  return BY_KIND[kind];
}

/** More is waiting than the store can be expected to decide in time. */
export class GroupQueueFull extends StoreUnavailable {}

/** Receives an outcome without the cost of a promise. One of the two is called, once; neither may throw. */
export interface Receiver<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** The inputs of one call, decided in one group. */
interface Submission<In, Out> {
  inputs: readonly In[];
  /** @param outputs of the whole group; the submission's begin at `from` */
  resolve(outputs: readonly Out[], from: number): void;
  reject(error: unknown): void;
}

class SingleSubmission<In, Out> implements Submission<In, Out> {
  readonly inputs: readonly In[];

  constructor(
    input: In,
    private readonly receiver: Receiver<Out>,
  ) {
    this.inputs = [input];
  }

  resolve(outputs: readonly Out[], from: number): void {
    this.receiver.resolve(outputs[from] as Out);
  }

  reject(error: unknown): void {
    this.receiver.reject(error);
  }
}

/**
 * Group commit: everything submitted within one turn of the event loop goes into one call, in order. While `depth`
 * calls are in flight, the next group grows.
 */
export class GroupCommit<In, Out> {
  readonly #options: Required<GroupOptions>;
  #waiting: Submission<In, Out>[] = [];
  #waitingInputs = 0;
  #inFlight = 0;
  #inputsInFlight = 0;
  #scheduled = false;

  /** @param decide returns one output for each input, in order; when it throws, every submission of the group fails */
  constructor(
    private readonly decide: (group: readonly In[]) => Promise<readonly Out[]>,
    options: GroupOptions = {},
  ) {
    const { depth = 1, maximumGroup = 512, divideFrom = Number.POSITIVE_INFINITY } = options;
    this.#options = { depth, maximumGroup, divideFrom, maximumWaiting: options.maximumWaiting ?? 10_000 };
  }

  /** Inputs in the queue, without those in flight. */
  get waiting(): number {
    return this.#waitingInputs;
  }

  hasRoomFor(inputs: number): boolean {
    return this.#waitingInputs + inputs <= this.#options.maximumWaiting;
  }

  /** @throws GroupQueueFull at once, else what the group's call throws */
  submit(input: In): Promise<Out> {
    return new Promise((resolve, reject) => this.submitTo(input, { resolve, reject }));
  }

  /** `submit` without a promise: Next tracks each of its process. Its errors go to the receiver. */
  submitTo(input: In, receiver: Receiver<Out>): void {
    this.#add(new SingleSubmission(input, receiver));
  }

  /**
   * Submits several inputs to one group, in order: all of them, or none.
   * @throws GroupQueueFull at once, else what the group's call throws
   */
  submitAll(inputs: readonly In[]): Promise<Out[]> {
    if (inputs.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#add({ inputs, resolve: (outputs, from) => resolve(outputs.slice(from, from + inputs.length)), reject });
    });
  }

  #add(submission: Submission<In, Out>): void {
    const { length } = submission.inputs;
    if (!this.hasRoomFor(length)) {
      submission.reject(new GroupQueueFull('Too many decisions are waiting for the counters.'));
      return;
    }
    this.#waiting.push(submission);
    this.#waitingInputs += length;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#inFlight >= this.#options.depth || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#scheduled = false;
    while (this.#waiting.length > 0 && this.#inFlight < this.#options.depth) void this.#next();
    this.#schedule();
  };

  /** Decides the next group. Never throws. */
  async #next(): Promise<void> {
    const submissions = this.#take();
    const group: In[] = [];
    for (const { inputs } of submissions) for (const input of inputs) group.push(input);
    this.#inFlight++;
    this.#inputsInFlight += group.length;
    try {
      const outputs = await this.decide(group);
      if (outputs.length !== group.length) throw new Error('A group was not decided as a whole.');
      let from = 0;
      for (const submission of submissions) {
        submission.resolve(outputs, from);
        from += submission.inputs.length;
      }
    } catch (error) {
      for (const submission of submissions) submission.reject(error);
    } finally {
      this.#inFlight--;
      this.#inputsInFlight -= group.length;
      this.#schedule();
    }
  }

  /** The first submissions that fit into one group; at least one. */
  #take(): Submission<In, Out>[] {
    const { depth } = this.#options;
    // Not more than its part of all, else one that came late would be the larger one from then on.
    const ofAll = Math.ceil((this.#waitingInputs + this.#inputsInFlight) / depth);
    const share = Math.min(ofAll, Math.ceil(this.#waitingInputs / (depth - this.#inFlight)));
    const most = Math.min(this.#options.maximumGroup, Math.max(this.#options.divideFrom, share));
    let size = 0;
    let count = 0;
    for (const { inputs } of this.#waiting) {
      if (count > 0 && size + inputs.length > most) break;
      size += inputs.length;
      count += 1;
    }
    this.#waitingInputs -= size;
    if (count < this.#waiting.length) return this.#waiting.splice(0, count);
    const submissions = this.#waiting;
    this.#waiting = [];
    return submissions;
  }
}
