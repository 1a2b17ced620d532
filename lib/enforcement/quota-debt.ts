import type { Plan } from '@/lib/enforcement/plan';
import type { Attempt, Meter } from '@/lib/limiter/meter';

/** What leaves the debt for one group. */
interface Payment {
  readonly attempts: readonly Attempt[];
  /** Puts the payment back when the group was not decided. */
  refund(): void;
}

const NOTHING: Payment = { attempts: [], refund: () => undefined };

/** What API keys consumed while the store was down, charged to their quotas with the next group that it decides. */
export class QuotaDebt {
  readonly #owed = new Map<string, { meter: Meter; cost: number }>();

  /** Adds the cost of an admitted request. A quota that is exceeded by it is charged all the same. */
  add({ attempt }: Plan): void {
    const meter = attempt.meters.find(({ subject }) => subject === 'quota');
    if (meter !== undefined) this.#add({ ...meter, unlimited: true }, attempt.cost);
  }

  /** Takes all debt out, as attempts to be decided before those of the group. */
  pay(): Payment {
    if (this.#owed.size === 0) return NOTHING;
    const paid = [...this.#owed.values()];
    this.#owed.clear();
    return {
      attempts: paid.map(({ meter, cost }) => ({ meters: [meter], cost })),
      refund: () => {
        for (const { meter, cost } of paid) this.#add(meter, cost);
      },
    };
  }

  #add(meter: Meter, cost: number): void {
    this.#owed.set(meter.key, { meter, cost: cost + (this.#owed.get(meter.key)?.cost ?? 0) });
  }
}
