import type { NamedLimits } from '@/lib/enforcement/named-limits';

/** A check, as a batch reads it. */
interface BatchedCheck {
  readonly limits?: readonly { readonly name: string }[];
}

/**
 * The checks of one call, of which all are counted or none. They are decided in one group, under rules of one revision.
 */
export class CheckBatch {
  #limits: NamedLimits | null = null;
  #isValid = true;

  constructor(private readonly checks: readonly BatchedCheck[]) {}

  /** Returns whether all named limits of all checks exist. The result is cached until the limits change. */
  hasValidLimits(limits: NamedLimits): boolean {
    if (this.#limits !== limits) {
      this.#limits = limits;
      this.#isValid = this.checks.every(({ limits: named = [] }) => named.every(({ name }) => limits.has(name)));
    }
    return this.#isValid;
  }
}
