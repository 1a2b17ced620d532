import type { Logger } from 'pino';
import type { Database } from '@/lib/db/database';
import { redactTokens } from '@/lib/logging/redact-tokens';
import { CandidateCounts } from '@/lib/statistics/candidate-counts';
import {
  addToTally,
  createTally,
  type DecisionEvent,
  findCell,
  listCells,
  type Tally,
  type TallyCell,
} from '@/lib/statistics/decision-event';
import { Demand } from '@/lib/statistics/demand';
import { KeyUsage } from '@/lib/statistics/key-days';
import { KeyOrigins } from '@/lib/statistics/key-origins';
import { LIMIT_COUNTS, LimitTally, type SettledUse } from '@/lib/statistics/limit-tally';
import { NotableDecisions } from '@/lib/statistics/notable-decisions';
import { RangeAddresses } from '@/lib/statistics/range-addresses';
import { findStart, ROLLUP_STEPS } from '@/lib/statistics/step';
import { TopIdentifiers } from '@/lib/statistics/top-identifiers';
import {
  addCandidates,
  addDecisions,
  addDemand,
  addIdentifiers,
  addKeyDays,
  addKeyOrigins,
  addLastUses,
  addLimitCounts,
  addRangeAddresses,
  addRollups,
  trimIdentifiers,
  type Write,
  writeBehind,
} from '@/lib/statistics/writes';
import { MINUTE, type Millis } from '@/lib/units';

export interface RecorderOptions {
  database: Database;
  logger: Pick<Logger, 'warn' | 'info'>;
  /** Wall clock. */
  clock: () => Millis;
  /**
   * Removes secrets from the texts of a decision before they are stored. By default it removes texts that look like
   * tokens.
   */
  hide?: (text: string) => string;
}

/** Most rows per write, so that a write blocks the event loop for a few milliseconds only. */
const ROWS = {
  minutes: 5,
  identifiers: 16,
  identifiersOfMinute: 64,
  decisions: 200,
  days: 200,
  uses: 200,
  origins: 50,
  addresses: 200,
  demand: 100,
  candidates: 200,
};
/** Most minutes that wait while the database is down. The oldest are dropped. */
const MOST_MINUTES = 1_440;

/** Minutes whose counts a write takes whole. */
type Minutes = 'finished' | 'all';

interface MinuteCounts {
  tally: Tally;
  limits: LimitTally;
  refused: TopIdentifiers;
}

/**
 * Counts every decision in memory, and writes the counts about every second. `record` costs a fraction of a microsecond
 * and never waits. A killed process loses the last second of statistics, but nothing that decisions depend on.
 */
export class Recorder {
  readonly #minutes = new Map<Millis, MinuteCounts>();
  readonly #totals = createTally();
  readonly #limitTotals = new LimitTally();
  readonly usage = new KeyUsage();
  readonly #demand = new Demand();
  readonly #candidates = new CandidateCounts();
  readonly #addresses = new RangeAddresses();
  readonly #origins: KeyOrigins;
  readonly #notable: NotableDecisions;
  #current: { minute: Millis; counts: MinuteCounts } | null = null;
  /** The last failed write. The next write repeats it unchanged. */
  #unwritten: Write[] = [];
  #tail: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(private readonly options: RecorderOptions) {
    this.#notable = new NotableDecisions(options.hide);
    this.#origins = new KeyOrigins(options.hide ?? redactTokens);
  }

  record(event: DecisionEvent): void {
    const cell = findCell(event);
    const counts = this.#findCounts(event.at - (event.at % MINUTE));
    addToTally(this.#totals, cell);
    addToTally(counts.tally, cell);
    if (event.limitUses.length > 0) {
      this.#limitTotals.add(event);
      counts.limits.add(event);
    }
    this.#demand.add(event);
    if (event.candidates.length > 0) this.#candidates.add(event.candidates, event.at);
    if (event.apiKeyId !== null) {
      this.usage.add(event, event.apiKeyId);
      this.#origins.add(event, event.apiKeyId);
    }
    for (const id of event.overrideIds) this.usage.use(`override:${id}`, event.at);
    if (event.rangeUse !== null) this.#addresses.add(event.rangeUse, event.at);
    if (event.source === 'allowlist' && event.sourceId !== null)
      this.usage.use(`allowlist:${event.sourceId}`, event.at);
    if (event.outcome === 'allowed') return;
    if (event.outcome === 'refused') addRefusal(counts.refused, event);
    this.#notable.add(event);
  }

  /** Counts settlements and refunds of named limits. */
  recordSettled(at: Millis, uses: readonly SettledUse[]): void {
    for (const use of uses) {
      this.#limitTotals.settle(use);
      this.#findCounts(at - (at % MINUTE)).limits.settle(use);
    }
  }

  /** Lists the counts of named limits since the process started. */
  listLimitTotals() {
    return this.#limitTotals.list();
  }

  /** Lists the counts since the process started. */
  listTotals(): TallyCell[] {
    return listCells(this.#totals);
  }

  /** Decisions that are counted but not in the log. */
  get skippedCount(): number {
    return this.#notable.skipped;
  }

  /** Failed writes since the last successful one. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Writes counts in one bounded transaction. If it fails, the next call repeats it. The fault is logged once and never
   * thrown.
   */
  flush(): Promise<void> {
    return this.#enqueueWrite('finished');
  }

  /**
   * Writes everything, unless the database is down: also what otherwise waits for the end of its minute. For processes
   * that may not run again.
   */
  async flushAll(): Promise<void> {
    do await this.#enqueueWrite('all');
    while (this.#failures === 0 && this.#collect('all'));
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.flush(), 1_000);
    this.#timer.unref();
  }

  /** Stops the timer and writes everything, unless the database is down. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.flushAll();
  }

  #enqueueWrite(which: Minutes): Promise<void> {
    this.#tail = this.#tail.then(() => this.#write(which));
    return this.#tail;
  }

  #findCounts(minute: Millis): MinuteCounts {
    if (this.#current?.minute === minute) return this.#current.counts;
    const counts = this.#minutes.get(minute) ?? {
      ...{ tally: createTally(), limits: new LimitTally(), refused: new TopIdentifiers() },
    };
    this.#minutes.set(minute, counts);
    const [oldest] = this.#minutes.keys();
    if (this.#minutes.size > MOST_MINUTES && oldest !== undefined) this.#minutes.delete(oldest);
    this.#current = { minute, counts };
    return counts;
  }

  async #write(which: Minutes): Promise<void> {
    if (this.#unwritten.length === 0) this.#collect(which);
    try {
      await writeBehind(this.options.database, this.#unwritten);
      this.#unwritten = [];
      if (this.#failures > 0) this.options.logger.info({ failures: this.#failures }, 'writing statistics resumed');
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures === 1)
        this.options.logger.warn({ err: error }, 'statistics cannot be written; buffering them');
    }
  }

  /** Converts counts to the statements of one write. @returns whether there are any */
  #collect(which: Minutes): boolean {
    if (this.#unwritten.length > 0) return true;
    const writes: Write[] = [];
    const now = this.options.clock();
    for (const [minute, counts] of [...this.#minutes].slice(0, ROWS.minutes)) {
      const ends = which === 'all' || minute + MINUTE <= now;
      writes.push(...buildMinuteWrites(minute, counts, ends));
      counts.tally.fill(0);
      counts.limits.clear();
      if (!ends) continue;
      this.#minutes.delete(minute);
      if (this.#current?.minute === minute) this.#current = null;
    }
    const write = <Row>(rows: Row[], writeOf: (rows: Row[]) => Write) => {
      if (rows.length > 0) writes.push(writeOf(rows));
    };
    write(this.#notable.take(ROWS.decisions), addDecisions);
    write(this.usage.takeDays(ROWS.days), addKeyDays);
    write(this.usage.takeLastUses(ROWS.uses), addLastUses);
    write(this.#origins.take(ROWS.origins), addKeyOrigins);
    write(this.#addresses.take(ROWS.addresses), addRangeAddresses);
    write(this.#candidates.take(ROWS.candidates), addCandidates);
    write(this.#demand.take(which === 'all' ? Infinity : now, ROWS.demand), addDemand);
    this.#unwritten = writes;
    return writes.length > 0;
  }
}

/**
 * Builds the writes that add the counts of a minute to its minute, hour and day. Identifiers are added to hour and day
 * only when the minute ends, and only then their lists are trimmed. Under attack every second brings new identifiers.
 */
function buildMinuteWrites(minute: Millis, counts: MinuteCounts, ends: boolean): Write[] {
  const steps = ROLLUP_STEPS.map((step) => [step, findStart(minute, step * 1_000)] as const);
  const cells = listCells(counts.tally);
  const decided = steps.flatMap((start) =>
    cells.map((cell) => [...start, cell.class ?? '', cell.outcome, cell.reason, cell.count] as const),
  );
  const limited = steps.flatMap((start) =>
    counts.limits.list().map(({ class: endpointClass, name, counts: own }) => {
      return [...start, endpointClass, name, ...LIMIT_COUNTS.map((column) => own[column])] as const;
    }),
  );
  const most = ends ? ROWS.identifiersOfMinute : ROWS.identifiers;
  const live = counts.refused.take(most, 'minute');
  const longer = ends ? counts.refused.take(most, 'longer') : [];
  const refused = steps.flatMap((start) =>
    (start[0] === 60 ? live : longer).map((of) => [...start, of.type, of.identifier, of.class ?? '', of.hits] as const),
  );
  return [
    ...(decided.length > 0 ? [addRollups(decided)] : []),
    ...(limited.length > 0 ? [addLimitCounts(limited)] : []),
    ...(refused.length > 0 ? [addIdentifiers(refused)] : []),
    ...(ends && !counts.refused.isEmpty ? steps.map((step) => trimIdentifiers(...step)) : []),
  ];
}

/** Adds a refusal of an identifier. That of a named limit is its name and subject: `sms|+4670123`. */
function addRefusal(refused: TopIdentifiers, { subjectType, identifier, limitName, class: name }: DecisionEvent): void {
  if (subjectType === null || identifier === null) return;
  if (subjectType === 'limit' && limitName !== null) refused.add('limit', `${limitName}|${identifier}`, name);
  else if (name !== null) refused.add(subjectType, identifier, name);
}
