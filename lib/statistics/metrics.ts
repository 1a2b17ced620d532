import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { INCIDENT_MODES, type IncidentMode } from '@/lib/contract/fields/incident';
import type { BreakerState } from '@/lib/counters/breaker';
import { METHODS } from '@/lib/http/methods';
import { BulkHistogram } from '@/lib/statistics/bulk-histogram';
import type { TallyCell } from '@/lib/statistics/decision-event';
import type { LimitCounts } from '@/lib/statistics/limit-tally';

const LIMIT_OUTCOMES = ['allowed', 'refused', 'degraded', 'observed'] as const;

/** Kinds of units of named limits, and their counts. */
const LIMIT_UNITS = [
  ['counted', 'units'],
  ['refused', 'refused_units'],
  ['reserved', 'reserved'],
  ['settled', 'settled'],
  ['settled_used', 'settled_used'],
] as const;

const BREAKER_STATES: readonly BreakerState[] = ['closed', 'open', 'half-open'];

/** Methods that become labels. Clients can invent others, which share one label. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/** Class of a request: the `route` label of the HTTP metrics. docs/monitoring.md describes them. */
export type RouteClass =
  | 'decision'
  | 'admin'
  | 'oauth'
  | 'sign_in'
  | 'console'
  | 'static'
  | 'probe'
  | 'upstream'
  | 'other';

/** Labels of `sluice_build_info`. */
interface BuildInfo {
  version: string;
  database: string;
  counters: string;
}

/** Numbers that other modules hold. They are read at each scrape. */
interface Scraped {
  decisions: readonly TallyCell[];
  /** Counts of the named limits that exist, by class and name. */
  limits: readonly { name: string; counts: LimitCounts }[];
  /** Decisions that are counted but not in the log. */
  skipped: number;
  /** Failed writes of statistics since the last successful one. */
  statisticsFailures: number;
  breaker: BreakerState;
  /** Revision of the rules that apply to requests. */
  revision: number;
  /** Mode of the active incident. */
  incident: IncidentMode | null;
  /** Log lines by level, and the number of lines that were left out. */
  lines: { written: Readonly<Record<string, number>>; withheld: number };
  /** True if each part of readiness works. */
  parts: Readonly<Record<string, boolean>>;
}

/** Number of responses of one kind. */
interface Responded {
  route: RouteClass;
  method: string;
  status: number;
  count: number;
}

/** Bounds in seconds, from typical decisions (50 µs to 5 ms) to the timeouts of callers. */
const DECISION_SECONDS = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
];
const STORE_SECONDS = DECISION_SECONDS;
const HTTP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The metrics of `/metrics`, in a separate registry. docs/monitoring.md lists them. Hooks of the request path cost a
 * fraction of a microsecond.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #buildInfo = this.#createGauge('sluice_build_info', 'Always 1; the labels describe the process.', [
    'version',
    'database',
    'counters',
  ]);
  readonly #decisions = this.#createCounter(
    'sluice_decisions_total',
    'Decisions of this process by class, outcome and, for refusals, error code.',
    ['class', 'outcome', 'reason'],
  );
  readonly #limitDecisions = this.#createCounter(
    'sluice_limit_decisions_total',
    'Decisions of this process by named limit and outcome. A refusal counts for the limit that it names.',
    ['limit', 'outcome'],
  );
  readonly #limitUnits = this.#createCounter(
    'sluice_limit_units_total',
    'Units of this process by named limit: counted, refused, reserved, settled, and used in place of settled ones.',
    ['limit', 'kind'],
  );
  readonly #decisionSeconds = new BulkHistogram(
    'sluice_decision_seconds',
    'Time from submission to decision, group wait included.',
    DECISION_SECONDS,
  );
  readonly #groupSize = new BulkHistogram(
    'sluice_decision_group_size',
    'Decisions made in one transaction or script call.',
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
  );
  readonly #notLogged = this.#createCounter(
    'sluice_decisions_not_logged_total',
    'Refusals and bypasses without a row of their own in the decision log; other rows count them.',
  );
  readonly #responses = this.#createCounter(
    'sluice_http_responses_total',
    'Answers by route class, method and status.',
    ['route', 'method', 'status'],
  );
  readonly #requestSeconds = new BulkHistogram(
    'sluice_http_request_seconds',
    'Time from the arrival of a request to the end of its answer by route class, without event streams.',
    HTTP_SECONDS,
    'route',
  );
  /** Values of `#responses` for the next scrape, by labels. */
  readonly #responded = new Map<string, Responded>();
  #lastResponded: Responded | null = null;
  readonly #upstreamErrors = this.#createCounter(
    'sluice_upstream_errors_total',
    'Requests that the upstream did not answer.',
  );
  readonly #partUp = this.#createGauge('sluice_part_up', 'Whether a part of readiness works: 1 or 0.', ['part']);
  readonly #rulesRevision = this.#createGauge(
    'sluice_rules_revision',
    'Revision of the rules that this process decides by: the number of the newest change.',
  );
  readonly #incident = this.#createGauge('sluice_incident', 'Whether an incident of this mode is in force: 1 or 0.', [
    'mode',
  ]);
  readonly #storeSeconds = new BulkHistogram(
    'sluice_store_commit_seconds',
    'Time of a call of the counter store that decided a group.',
    STORE_SECONDS,
  );
  readonly #storeErrors = this.#createCounter('sluice_store_errors_total', 'Calls of the counter store that failed.');
  readonly #breakerState = this.#createGauge(
    'sluice_breaker_state',
    'State of the circuit breaker of the counter store: 1 for the current state.',
    ['state'],
  );
  readonly #databaseSeconds = this.#createHistogram(
    'sluice_database_call_seconds',
    'Time of a call of the database, counters not included.',
    STORE_SECONDS,
    ['operation'],
  );
  readonly #databaseErrors = this.#createCounter(
    'sluice_database_errors_total',
    'Calls of the database that failed because it was down, locked or full.',
    ['operation'],
  );
  readonly #writeFailures = this.#createGauge(
    'sluice_statistics_write_failures',
    'Writes of statistics that failed since the last successful one.',
  );
  readonly #lines = this.#createCounter('sluice_log_lines_total', 'Lines of the log by level.', ['level']);
  readonly #linesWithheld = this.#createCounter(
    'sluice_log_lines_withheld_total',
    'Lines left out of the log and summed up, so that a flood cannot fill the disk.',
  );

  constructor(build: BuildInfo) {
    collectDefaultMetrics({ register: this.#registry });
    this.#buildInfo.set({ ...build }, 1);
    // Counters start at 0, because `rate()` misses the first error of a counter that first appears at 1.
    for (const operation of ['read', 'write']) this.#databaseErrors.inc({ operation }, 0);
  }

  /** Returns all metrics as Prometheus text, of the media type `contentType`. */
  async scrape({
    decisions,
    limits,
    skipped,
    statisticsFailures,
    breaker,
    revision,
    incident,
    lines,
    parts,
  }: Scraped): Promise<string> {
    this.#decisions.reset();
    for (const { count, class: name, ...labels } of decisions)
      this.#decisions.inc({ class: name ?? 'none', ...labels }, count);
    this.#setLimits(limits);
    this.#notLogged.reset();
    this.#notLogged.inc(skipped);
    this.#writeFailures.set(statisticsFailures);
    this.#lines.reset();
    for (const [level, count] of Object.entries(lines.written)) this.#lines.inc({ level }, count);
    this.#linesWithheld.reset();
    this.#linesWithheld.inc(lines.withheld);
    this.#rulesRevision.set(revision);
    for (const mode of INCIDENT_MODES) this.#incident.set({ mode }, mode === incident ? 1 : 0);
    for (const state of BREAKER_STATES) this.#breakerState.set({ state }, state === breaker ? 1 : 0);
    for (const [part, up] of Object.entries(parts)) this.#partUp.set({ part }, up ? 1 : 0);
    this.#responses.reset();
    for (const { route, method, status, count } of this.#responded.values())
      this.#responses.inc({ route, method, status }, count);
    const own = [this.#decisionSeconds, this.#groupSize, this.#requestSeconds, this.#storeSeconds];
    return `${await this.#registry.metrics()}\n${own.map((histogram) => histogram.format()).join('\n')}`;
  }

  /** The names of limits are the only labels that operators choose. */
  #setLimits(limits: Scraped['limits']): void {
    this.#limitDecisions.reset();
    this.#limitUnits.reset();
    for (const { name: limit, counts } of limits) {
      for (const outcome of LIMIT_OUTCOMES) this.#limitDecisions.inc({ limit, outcome }, counts[outcome]);
      for (const [kind, column] of LIMIT_UNITS) this.#limitUnits.inc({ limit, kind }, counts[column]);
    }
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** @param seconds time from submission to decision, equal for all `decisions` */
  recordDecisions(seconds: number, decisions: number): void {
    this.#decisionSeconds.observe(seconds, decisions);
  }

  /** @param size number of decisions in the group */
  groupDecided(size: number): void {
    this.#groupSize.observe(size);
  }

  /** @param seconds duration of a successful call of the counter store */
  storeCalled(seconds: number): void {
    this.#storeSeconds.observe(seconds);
  }

  storeFailed(): void {
    this.#storeErrors.inc();
  }

  /** @param seconds null for an event stream, whose client decides when it ends */
  recordResponse(route: RouteClass, method: string, status: number, seconds: number | null): void {
    const last = this.#lastResponded;
    // Most responses have the same labels as the previous one.
    const isAlike = last !== null && last.route === route && last.method === method && last.status === status;
    const responses = isAlike ? last : this.#findResponses(route, method, status);
    responses.count += 1;
    if (seconds !== null) this.#requestSeconds.observe(seconds, 1, route);
  }

  #findResponses(route: RouteClass, sentMethod: string, status: number): Responded {
    const method = KNOWN_METHODS.has(sentMethod) ? sentMethod : 'other';
    const labels = `${route} ${method} ${status}`;
    const responses = this.#responded.get(labels) ?? { route, method, status, count: 0 };
    this.#responded.set(labels, responses);
    this.#lastResponded = responses;
    return responses;
  }

  countUpstreamError(): void {
    this.#upstreamErrors.inc();
  }

  recordDatabaseCall(operation: 'read' | 'write', seconds: number): void {
    this.#databaseSeconds.observe({ operation }, seconds);
  }

  recordDatabaseFailure(operation: 'read' | 'write'): void {
    this.#databaseErrors.inc({ operation });
  }

  #createCounter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #createGauge<Label extends string>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  #createHistogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] });
  }
}
