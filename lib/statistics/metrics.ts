import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { BreakerState } from '@/lib/counters/breaker';
import type { TallyCell } from '@/lib/statistics/tally';

const BREAKER_STATES: readonly BreakerState[] = ['closed', 'open', 'half-open'];

/** Where the numbers come from that are kept elsewhere and read when somebody asks. */
export interface MetricSources {
  decisions: () => readonly TallyCell[];
  /** Decisions that were counted and not kept one by one. */
  skipped: () => number;
  /** Writes of statistics in a row that failed. */
  statisticsFailures: () => number;
  breaker: () => BreakerState;
}

/**
 * What `/metrics` tells, in a registry of its own. What happens for every request costs a fraction of a microsecond
 * here; what can be counted elsewhere is read at the time of asking.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #decisionSeconds: Histogram;
  readonly #groupSize: Histogram;
  readonly #storeErrors: Counter;
  readonly #responses: Counter<'method' | 'status'>;
  #sources: MetricSources | null = null;

  constructor() {
    const registers = [this.registry];
    const read = () => this.#sources;
    collectDefaultMetrics({ register: this.registry });
    this.#decisionSeconds = new Histogram({
      name: 'sluice_decision_seconds',
      help: 'Time from the question to the decision, the wait for its group included.',
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
      registers,
    });
    this.#groupSize = new Histogram({
      name: 'sluice_decision_group_size',
      help: 'Decisions that were made in one transaction or script call.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
      registers,
    });
    this.#storeErrors = new Counter({
      name: 'sluice_store_errors_total',
      help: 'Calls of the counter store that failed.',
      registers,
    });
    this.#responses = new Counter({
      name: 'sluice_http_responses_total',
      help: 'Answers by method and status.',
      labelNames: ['method', 'status'],
      registers,
    });
    new Counter({
      name: 'sluice_decisions_total',
      help: 'Decisions of this process by class, outcome and, for refusals, error code.',
      labelNames: ['class', 'outcome', 'reason'],
      registers,
      collect() {
        this.reset();
        for (const { count, ...labels } of read()?.decisions() ?? []) this.inc(labels, count);
      },
    });
    new Counter({
      name: 'sluice_decisions_not_logged_total',
      help: 'Refusals and bypasses that were counted and, being too many, not kept one by one.',
      registers,
      collect() {
        this.reset();
        this.inc(read()?.skipped() ?? 0);
      },
    });
    new Gauge({
      name: 'sluice_statistics_write_failures',
      help: 'Writes of statistics that failed since the last good one.',
      registers,
      collect() {
        this.set(read()?.statisticsFailures() ?? 0);
      },
    });
    new Gauge({
      name: 'sluice_breaker_state',
      help: 'State of the circuit breaker in front of the counter store: 1 for the one it is in.',
      labelNames: ['state'],
      registers,
      collect() {
        const current = read()?.breaker() ?? 'closed';
        for (const state of BREAKER_STATES) this.set({ state }, state === current ? 1 : 0);
      },
    });
  }

  watch(sources: MetricSources): void {
    this.#sources = sources;
  }

  /** @param seconds from the question to the decision */
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
}

/** A client can invent methods; a label must not. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
