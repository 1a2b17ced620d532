import { type CounterStore, StoreUnavailable } from '@/lib/counters/store';

export interface GroupOptions {
  /** Groups in flight at once. 1 (the default) for a store that works synchronously. */
  depth?: number;
  /** Size of the largest group, 512 by default. A larger submission becomes a separate group. */
  maximumGroup?: number;
  /**
   * Minimum size of a part when the queue is divided evenly over the free calls. Dividing lets a server decide one
   * group while this process reads the answers of another. Not divided by default.
   */
  divideFrom?: number;
  /** Length of the longest queue. 10,000 by default. */
  maximumWaiting?: number;
}

/**
 * Options by kind of store. A file decides within one turn of the event loop. A server decides the next group while the
 * previous answer is in transit. Redis is fast, so it gets calls of a few decisions each. A libSQL server commits each
 * call, so it gets undivided groups.
 */
const BY_KIND: Readonly<Record<CounterStore['kind'], GroupOptions>> = {
  embedded: { depth: 1 },
  local: { depth: 1 },
  redis: { depth: 2, divideFrom: 2 },
  remote: { depth: 4 },
};

/** Returns the options for grouping the decisions of a store. */
export function groupOptions({ kind }: Pick<CounterStore, 'kind'>): GroupOptions {
  return BY_KIND[kind];
}

/** Thrown if more requests wait than the store can decide in time. */
export class GroupQueueFull extends StoreUnavailable {}

/** Receives an outcome without the cost of a promise. One of the two methods is called, once. Neither may throw. */
export interface Receiver<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** The inputs of one call, decided in one group. */
interface Submission<In, Out> {
  inputs: readonly In[];
  /** @param outputs outputs of the whole group; those of the submission begin at `from` */
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
 * Group commit: all submissions within one turn of the event loop form one call, in order. While `depth` calls are in
 * flight, the next group grows.
 */
export class GroupCommit<In, Out> {
  readonly #options: Required<GroupOptions>;
  #waiting: Submission<In, Out>[] = [];
  #waitingInputs = 0;
  #inFlight = 0;
  #inputsInFlight = 0;
  #scheduled = false;

  /**
   * @param decide returns one output for each input, in order; if it throws, every submission of the group fails
   * @param joining another queue, from which `decide` takes what joins a group; a group can have no inputs then
   */
  constructor(
    private readonly decide: (group: readonly In[]) => Promise<readonly Out[]>,
    options: GroupOptions = {},
    private readonly joining: { readonly size: number } = { size: 0 },
  ) {
    const { depth = 1, maximumGroup = 512, divideFrom = Number.POSITIVE_INFINITY } = options;
    this.#options = { depth, maximumGroup, divideFrom, maximumWaiting: options.maximumWaiting ?? 10_000 };
  }

  /** Number of inputs in the queue, without those in flight. */
  get waiting(): number {
    return this.#waitingInputs;
  }

  hasRoomFor(inputs: number): boolean {
    return this.#waitingInputs + inputs <= this.#options.maximumWaiting;
  }

  /** @throws GroupQueueFull at once, or the errors of the group's call */
  submit(input: In): Promise<Out> {
    return new Promise((resolve, reject) => this.submitTo(input, { resolve, reject }));
  }

  /**
   * Works like `submit` without a promise, because Next tracks each promise of its process. Errors go to the receiver.
   */
  submitTo(input: In, receiver: Receiver<Out>): void {
    this.#add(new SingleSubmission(input, receiver));
  }

  /**
   * Submits several inputs to one group, in order: all of them, or none.
   * @throws GroupQueueFull at once, or the errors of the group's call
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
    this.schedule();
  }

  get #isWaiting(): boolean {
    return this.#waiting.length > 0 || this.joining.size > 0;
  }

  /** Schedules the next group. Call it after something was added to the joining queue. */
  schedule(): void {
    if (this.#scheduled || this.#inFlight >= this.#options.depth || !this.#isWaiting) return;
    this.#scheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#scheduled = false;
    while (this.#isWaiting && this.#inFlight < this.#options.depth) void this.#decideNext();
    this.schedule();
  };

  /** Decides the next group. Never throws. */
  async #decideNext(): Promise<void> {
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
      this.schedule();
    }
  }

  /** Takes the first submissions that fit into one group, at least one. */
  #take(): Submission<In, Out>[] {
    const { depth } = this.#options;
    // A group takes at most its share of all inputs. Otherwise a group that starts late would stay the larger one.
    const fairShare = Math.ceil((this.#waitingInputs + this.#inputsInFlight) / depth);
    const share = Math.min(fairShare, Math.ceil(this.#waitingInputs / (depth - this.#inFlight)));
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
