/** Counts of one value of the label. */
interface Series {
  /** Count of each bound, and of the values beyond the last. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * A Prometheus histogram with at most one label, which records many equal values at once. All decisions of a batch take
 * the same time. `prom-client` has no such method, and its `observe` costs more than counting the statistics of a
 * decision.
 */
export class BulkHistogram {
  readonly #series = new Map<string, Series>();

  /**
   * @param bounds upper bounds, ascending, inclusive
   * @param label name of the label; its values are plain words
   */
  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly bounds: readonly number[],
    private readonly label: string | null = null,
  ) {
    // A histogram without a label has one series from the start.
    if (label === null) this.#findSeries('');
  }

  /** @param value the value of the label */
  observe(observed: number, times = 1, value = ''): void {
    const series = this.#findSeries(value);
    let at = 0;
    for (const bound of this.bounds) {
      if (observed <= bound) break;
      at += 1;
    }
    series.counts[at] = (series.counts[at] ?? 0) + times;
    series.sum += observed * times;
  }

  /** Formats the histogram in the text format of Prometheus 0.0.4. */
  format(): string {
    const head = `# HELP ${this.name} ${this.help}\n# TYPE ${this.name} histogram\n`;
    return head + [...this.#series].map(([value, series]) => this.#formatSeries(value, series)).join('');
  }

  #formatSeries(value: string, { counts, sum }: Series): string {
    const own = this.label === null ? '' : `${this.label}="${value}"`;
    let count = 0;
    const buckets = [...this.bounds, '+Inf'].map((bound, at) => {
      count += counts[at] ?? 0;
      return `${this.name}_bucket{le="${bound}"${own && `,${own}`}} ${count}\n`;
    });
    const labels = own && `{${own}}`;
    return `${buckets.join('')}${this.name}_sum${labels} ${sum}\n${this.name}_count${labels} ${count}\n`;
  }

  #findSeries(value: string): Series {
    const existing = this.#series.get(value);
    if (existing !== undefined) return existing;
    const series = { counts: new Float64Array(this.bounds.length + 1), sum: 0 };
    this.#series.set(value, series);
    return series;
  }
}
