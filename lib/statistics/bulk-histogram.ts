/**
 * A Prometheus histogram without labels that takes many equal values at once: a batch of decisions takes as long for each
 * of them. `prom-client` has none, and its `observe` costs a decision more than the counting of its statistics.
 */
export class BulkHistogram {
  /** By bound, and beyond the last. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds ascending, inclusive */
  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly bounds: readonly number[],
  ) {
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number, times: number): void {
    let at = 0;
    for (const bound of this.bounds) {
      if (value <= bound) break;
      at += 1;
    }
    this.#counts[at] = (this.#counts[at] ?? 0) + times;
    this.#sum += value * times;
  }

  /** In the text format of Prometheus 0.0.4. */
  text(): string {
    let count = 0;
    const buckets = [...this.bounds, '+Inf'].map((bound, at) => {
      count += this.#counts[at] ?? 0;
      return `${this.name}_bucket{le="${bound}"} ${count}\n`;
    });
    const head = `# HELP ${this.name} ${this.help}\n# TYPE ${this.name} histogram\n`;
    return `${head}${buckets.join('')}${this.name}_sum ${this.#sum}\n${this.name}_count ${count}\n`;
  }
}
