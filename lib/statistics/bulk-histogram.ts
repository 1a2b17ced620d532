/** Counts of one value of the label. */
interface Series {
  /** By bound, and beyond the last. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * A Prometheus histogram with at most one label, that takes many equal values at once: a batch of decisions takes as long
 * for each of them. `prom-client` has none, and its `observe` costs a decision more than the counting of its statistics.
 */
export class BulkHistogram {
  readonly #series = new Map<string, Series>();

  /**
   * @param bounds ascending, inclusive
   * @param label its name; values are plain words
   */
  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly bounds: readonly number[],
    private readonly label: string | null = null,
  ) {
    // Without a label there is one series, from the start.
    if (label === null) this.#seriesOf('');
  }

  /** @param value of the label */
  observe(observed: number, times = 1, value = ''): void {
    const series = this.#seriesOf(value);
    let at = 0;
    for (const bound of this.bounds) {
      if (observed <= bound) break;
      at += 1;
    }
    series.counts[at] = (series.counts[at] ?? 0) + times;
    series.sum += observed * times;
  }

  /** In the text format of Prometheus 0.0.4. */
  text(): string {
    const head = `# HELP ${this.name} ${this.help}\n# TYPE ${this.name} histogram\n`;
    return head + [...this.#series].map(([value, series]) => this.#seriesText(value, series)).join('');
  }

  #seriesText(value: string, { counts, sum }: Series): string {
    const own = this.label === null ? '' : `${this.label}="${value}"`;
    let count = 0;
    const buckets = [...this.bounds, '+Inf'].map((bound, at) => {
      count += counts[at] ?? 0;
      return `${this.name}_bucket{le="${bound}"${own && `,${own}`}} ${count}\n`;
    });
    const labels = own && `{${own}}`;
    return `${buckets.join('')}${this.name}_sum${labels} ${sum}\n${this.name}_count${labels} ${count}\n`;
  }

  #seriesOf(value: string): Series {
    const known = this.#series.get(value);
    if (known !== undefined) return known;
    const series = { counts: new Float64Array(this.bounds.length + 1), sum: 0 };
    this.#series.set(value, series);
    return series;
  }
}
