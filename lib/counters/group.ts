import { StoreUnavailable } from '@/lib/counters/store';

export interface GroupOptions {
  /** Groups that may be under way at once; 1 (the default) for a store that works synchronously. */
  depth?: number;
  /** The largest group; 512 by default. */
  maximumGroup?: number;
  /** How many may wait at most; 10,000 by default. */
  maximumWaiting?: number;
}

/** More is waiting than the store can be expected to get through in time. */
export class QueueFull extends StoreUnavailable {}

interface Waiting<In, Out> {
  input: In;
  resolve: (output: Out) => void;
  reject: (error: unknown) => void;
}

/**
 * Decides together what waits together: everything that is submitted within one turn of the event loop goes into one
 * call, in the order in which it came. While as many calls are under way as `depth` allows, the next group grows.
 */
export class GroupCommit<In, Out> {
  readonly #decide: (group: readonly In[]) => Promise<readonly Out[]>;
  readonly #depth: number;
  readonly #maximumGroup: number;
  readonly #maximumWaiting: number;
  #waiting: Waiting<In, Out>[] = [];
  #underWay = 0;
  #scheduled = false;

  /** @param decide answers as many outputs as it was given inputs, in their order; what it throws, all of them get */
  constructor(decide: (group: readonly In[]) => Promise<readonly Out[]>, options: GroupOptions = {}) {
    this.#decide = decide;
    this.#depth = options.depth ?? 1;
    this.#maximumGroup = options.maximumGroup ?? 512;
    this.#maximumWaiting = options.maximumWaiting ?? 10_000;
  }

  /** How many wait for a group; those that are being decided are not among them. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** @throws QueueFull at once, or what the group's call throws */
  submit(input: In): Promise<Out> {
    if (this.#waiting.length >= this.#maximumWaiting) {
      return Promise.reject(new QueueFull('Too many decisions are waiting for the counters.'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#underWay >= this.#depth || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#waiting.length > 0 && this.#underWay < this.#depth) void this.#next();
    });
  }

  /** Takes the next group and decides it. Never throws. */
  async #next(): Promise<void> {
    const group = this.#take();
    this.#underWay++;
    try {
      const outputs = await this.#decide(group.map(({ input }) => input));
      if (outputs.length !== group.length) throw new Error('A group was not decided as a whole.');
      for (const [i, output] of outputs.entries()) group[i]?.resolve(output);
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      this.#underWay--;
      this.#schedule();
    }
  }

  #take(): Waiting<In, Out>[] {
    if (this.#waiting.length > this.#maximumGroup) return this.#waiting.splice(0, this.#maximumGroup);
    const group = this.#waiting;
    this.#waiting = [];
    return group;
  }
}
