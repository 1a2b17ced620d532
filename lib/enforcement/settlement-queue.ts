import { GroupQueueFull, type Receiver } from '@/lib/counters/group-commit';
import { NO_SETTLEMENTS, type Settlement } from '@/lib/counters/store';
import type { Rules } from '@/lib/enforcement/rules';

/** A settlement that waits for a group. */
export interface PendingSettlement {
  /** Reads the state that `plan` needs under these rules. Returns null if it is cached. */
  prepare(rules: Rules): Promise<void> | null;
  /** Plans the settlement under the rules of the last preparation. */
  plan(): Settlement;
}

interface Waiting {
  readonly settlement: PendingSettlement;
  readonly receiver: Receiver<boolean>;
}

/** Length of the longest queue. */
const MOST_WAITING = 10_000;

/** Settlements that wait for the next group of decisions. */
export class SettlementQueue {
  #waiting: Waiting[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  /** Passes errors to the receiver. Rejects with GroupQueueFull at once if the queue is full. */
  add(settlement: PendingSettlement, receiver: Receiver<boolean>): void {
    if (this.size < MOST_WAITING) this.#waiting.push({ settlement, receiver });
    else receiver.reject(new GroupQueueFull('Too many settlements are waiting for the counters.'));
  }

  /** Takes the oldest settlements, at most as many as fit into a group. */
  take(): SettlementGroup {
    if (this.#waiting.length === 0) return NONE;
    return new SettlementGroup(this.#waiting.splice(0, LARGEST_GROUP));
  }
}

const LARGEST_GROUP = 512;

/** The settlements of one group. Each receives its outcome or an error, once. */
export class SettlementGroup {
  constructor(private waiting: readonly Waiting[]) {}

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** Prepares all settlements. Those that cannot be prepared receive the error. @returns null if all are prepared */
  prepare(rules: Rules): Promise<void> | null {
    const preparing = this.waiting.flatMap((one) => this.#prepare(one, rules) ?? []);
    return preparing.length === 0 ? null : Promise.all(preparing).then(() => undefined);
  }

  #prepare(one: Waiting, rules: Rules): Promise<void> | null {
    const prepared = one.settlement.prepare(rules);
    if (prepared === null) return null;
    return prepared.catch((error: unknown) => {
      this.waiting = this.waiting.filter((other) => other !== one);
      one.receiver.reject(error);
    });
  }

  plan(): readonly Settlement[] {
    return this.isEmpty ? NO_SETTLEMENTS : this.waiting.map(({ settlement }) => settlement.plan());
  }

  /** @param settled outcomes in the order of `plan` */
  resolve(settled: readonly boolean[]): void {
    for (const [i, { receiver }] of this.#end().entries()) receiver.resolve(settled[i] === true);
  }

  reject(error: unknown): void {
    for (const { receiver } of this.#end()) receiver.reject(error);
  }

  #end(): readonly Waiting[] {
    const { waiting } = this;
    this.waiting = [];
    return waiting;
  }
}

const NONE = new SettlementGroup([]);
