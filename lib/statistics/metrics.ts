import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { BreakerState } from '@/lib/counters/breaker';
import { METHODS } from '@/lib/http/methods';
import type { TallyCell } from '@/lib/statistics/decision-event';

const BREAKER_STATES: readonly BreakerState[] = ['closed', 'open', 'half-open'];

/** Labels for methods; clients can invent others. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/** Numbers that are kept elsewhere and read at each scrape. */
interface Scraped {
  decisions: readonly TallyCell[];
  /** Decisions that are counted but not in the log. */
  skipped: number;
  /** Failed writes of statistics since the last successful one. */
  statisticsFailures: number;
  breaker: BreakerState;
}

/** The metrics of `/metrics`, in a registry of their own. Hooks of the request path cost a fraction of a microsecond. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #decisionSeconds = this.#histogram(
    'sluice_decision_seconds',
    'Time from submission to decision, group wait included.',
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  );
  readonly #groupSize = this.#histogram(
    'sluice_decision_group_size',
    'Decisions made in one transaction or script call.',
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
  );
  readonly #storeErrors = this.#counter('sluice_store_errors_total', 'Calls of the counter store that failed.');
  readonly #responses = this.#counter('sluice_http_responses_total', 'Answers by method and status.', [
    'method',
    'status',
  ]);
  readonly #decisions = this.#counter(
    'sluice_decisions_total',
    'Decisions of this process by class, outcome and, for refusals, error code.',
    ['class', 'outcome', 'reason'],
  );
  readonly #notLogged = this.#counter(
    'sluice_decisions_not_logged_total',
    "Refusals and bypasses that were counted but not logged, because of the log's rate cap.",
  );
  readonly #writeFailures = this.#gauge(
    'sluice_statistics_write_failures',
    'Writes of statistics that failed since the last successful one.',
  );
  readonly #breakerState = this.#gauge(
    'sluice_breaker_state',
    'State of the circuit breaker of the counter store: 1 for the current state.',
    ['state'],
  );

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** All metrics as Prometheus text, of the media type `contentType`. */
  scrape({ decisions, skipped, statisticsFailures, breaker }: Scraped): Promise<string> {
    this.#decisions.reset();
    for (const { count, ...labels } of decisions) this.#decisions.inc(labels, count);
    this.#notLogged.reset();
    this.#notLogged.inc(skipped);
    this.#writeFailures.set(statisticsFailures);
    for (const state of BREAKER_STATES) this.#breakerState.set({ state }, state === breaker ? 1 : 0);
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** @param seconds from submission to decision */
  decided(seconds: number): void {
    this.#decisionSeconds.observe(seconds);
  }

  /** @param size decisions in the group */
  groupDecided(size: number): void {
    this.#groupSize.observe(size);
  }

  storeFailed(): void {
    this.#storeErrors.inc();
  }

  responded(method: string, status: number): void {
    this.#responses.inc({ method: KNOWN_METHODS.has(method) ? method : 'other', status: String(status) });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.#registry] });
  }
}
