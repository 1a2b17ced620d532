/** Limits the bytes of bodies held at a time, in total and for each caller. */
export class BodyBudget {
  readonly #held = new Map<string, number>();
  #sum = 0;

  /** @param most bytes in total */
  constructor(
    private readonly most: number,
    private readonly mostOfCaller: number,
  ) {}

  /** Reserves bytes for a caller. Returns false if they exceed a limit, and reserves none. */
  take(caller: string, bytes: number): boolean {
    const held = (this.#held.get(caller) ?? 0) + bytes;
    if (this.#sum + bytes > this.most || held > this.mostOfCaller) return false;
    this.#sum += bytes;
    this.#held.set(caller, held);
    return true;
  }

  release(caller: string, bytes: number): void {
    const held = (this.#held.get(caller) ?? 0) - bytes;
    this.#sum -= bytes;
    if (held > 0) this.#held.set(caller, held);
    else this.#held.delete(caller);
  }
}
