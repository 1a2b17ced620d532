import { StoreUnavailable } from '@/lib/counters/store';

export interface GroupOptions {
  /** Groups that may be under way at once; 1 (the default) for a store that works synchronously. */
  depth?: number;
  /** The largest group, 512 by default; a party that is larger is a group of its own. */
  maximumGroup?: number;
  /**
   * What waits is divided evenly over the calls that are free while each gets at least so many: then a server decides
   * one group while this process takes up the answers of another. Not divided by default.
   */
  divideFrom?: number;
  /** How many may wait at most; 10,000 by default. */
  maximumWaiting?: number;
}

/** More is waiting than the store can be expected to get through in time. */
export class QueueFull extends StoreUnavailable {}

/** What one call has submitted: it is decided in one group, whole. */
interface Party<In, Out> {
  inputs: readonly In[];
  /** @param outputs of the whole group; the party's begin at `from` */
  resolve: (outputs: readonly Out[], from: number) => void;
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
  readonly #divideFrom: number;
  readonly #maximumWaiting: number;
  #waiting: Party<In, Out>[] = [];
  #waitingInputs = 0;
  #underWay = 0;
  #scheduled = false;

  /** @param decide answers as many outputs as it was given inputs, in their order; what it throws, all of them get */
  constructor(decide: (group: readonly In[]) => Promise<readonly Out[]>, options: GroupOptions = {}) {
    this.#decide = decide;
    this.#depth = options.depth ?? 1;
    this.#maximumGroup = options.maximumGroup ?? 512;
    this.#divideFrom = options.divideFrom ?? Number.POSITIVE_INFINITY;
    this.#maximumWaiting = options.maximumWaiting ?? 10_000;
  }

  /** How many wait for a group; those that are being decided are not among them. */
  get waiting(): number {
    return this.#waitingInputs;
  }

  /** @throws QueueFull at once, or what the group's call throws */
  submit(input: In): Promise<Out> {
    if (this.#isFull(1)) return Promise.reject(queueFull());
    return new Promise((resolve, reject) => {
      this.#add({ inputs: [input], resolve: (outputs, from) => resolve(outputs[from] as Out), reject });
    });
  }

  /**
   * Submits several that are decided in one group, in their order: all of them, or none.
   * @throws QueueFull at once, or what the group's call throws
   */
  submitAll(inputs: readonly In[]): Promise<Out[]> {
    if (inputs.length === 0) return Promise.resolve([]);
    if (this.#isFull(inputs.length)) return Promise.reject(queueFull());
    return new Promise((resolve, reject) => {
      this.#add({ inputs, resolve: (outputs, from) => resolve(outputs.slice(from, from + inputs.length)), reject });
    });
  }

  #isFull(more: number): boolean {
    return this.#waitingInputs + more > this.#maximumWaiting;
  }

  #add(party: Party<In, Out>): void {
    this.#waiting.push(party);
    this.#waitingInputs += party.inputs.length;
    this.#schedule();
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
    const parties = this.#take();
    const group = parties.flatMap(({ inputs }) => inputs);
    this.#underWay++;
    try {
      const outputs = await this.#decide(group);
      if (outputs.length !== group.length) throw new Error('A group was not decided as a whole.');
      let from = 0;
      for (const { inputs, resolve } of parties) {
        resolve(outputs, from);
        from += inputs.length;
      }
    } catch (error) {
      for (const { reject } of parties) reject(error);
    } finally {
      this.#underWay--;
      this.#schedule();
    }
  }

  /** The parties that come first and fit into one group; at least one. */
  #take(): Party<In, Out>[] {
    const share = Math.ceil(this.#waitingInputs / (this.#depth - this.#underWay));
    const most = Math.min(this.#maximumGroup, Math.max(this.#divideFrom, share));
    let size = 0;
    let count = 0;
    for (const { inputs } of this.#waiting) {
      if (count > 0 && size + inputs.length > most) break;
      size += inputs.length;
      count += 1;
    }
    this.#waitingInputs -= size;
    if (count < this.#waiting.length) return this.#waiting.splice(0, count);
    const parties = this.#waiting;
    this.#waiting = [];
    return parties;
  }
}

function queueFull(): QueueFull {
  return new QueueFull('Too many decisions are waiting for the counters.');
}
