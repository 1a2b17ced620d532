import type { Logger } from 'pino';
import type { Database } from '@/lib/db/database';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { Demand } from '@/lib/statistics/demand';
import { KeyUsage } from '@/lib/statistics/key-usage';
import { NotableDecisions } from '@/lib/statistics/notable-decisions';
import { removeOutdated } from '@/lib/statistics/retention';
import { MINUTE, ROLLUP_STEPS, startOf } from '@/lib/statistics/step';
import { cellOf, cellsOf, countIn, emptyTally, type Tally, type TallyCell } from '@/lib/statistics/tally';
import { TopIdentifiers } from '@/lib/statistics/top-identifiers';
import { type Write, writeBehind } from '@/lib/statistics/write-behind';
import {
  addDecisions,
  addDemand,
  addIdentifiers,
  addKeyDays,
  addLastUses,
  addRollups,
  trimIdentifiers,
} from '@/lib/statistics/writes';
import type { Millis } from '@/lib/units';

export interface RecorderOptions {
  database: Database;
  logger: Pick<Logger, 'warn' | 'info'>;
  /** Wall clock, milliseconds since the Unix epoch. */
  clock: () => Millis;
  /** How often what was counted is written, in milliseconds. */
  interval?: number;
  /** Takes secrets out of the texts of a decision before it is kept: what looks like a token, by default. */
  hide?: (text: string) => string;
}

/** What one write takes at most, so that it blocks the event loop for a few milliseconds only. */
const ROWS = {
  minutes: 5,
  identifiers: 16,
  identifiersOfMinute: 64,
  decisions: 200,
  keyDays: 200,
  lastUses: 200,
  demand: 100,
};
/** Minutes that are held while the database is out of reach; then the oldest are given up. */
const MOST_MINUTES = 1_440;

interface MinuteCounts {
  tally: Tally;
  refused: TopIdentifiers;
}

type Listener = (event: DecisionEvent) => void;

/**
 * Counts every decision in memory and writes the counts behind, about every second: `record` costs a fraction of a
 * microsecond and never waits. What is lost when the process is killed is the last second of statistics, nothing that
 * anything is decided by.
 */
export class Recorder {
  readonly #minutes = new Map<Millis, MinuteCounts>();
  readonly #totals = emptyTally();
  readonly #usage = new KeyUsage();
  readonly #demand = new Demand();
  readonly #notable: NotableDecisions;
  readonly #listeners = new Set<Listener>();
  readonly #options: RecorderOptions;
  #current: { minute: Millis; counts: MinuteCounts } | null = null;
  /** A write that failed; it goes first next time, whole. */
  #unwritten: Write[] = [];
  #tail: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #stopping = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#notable = new NotableDecisions(options.hide);
  }

  /** Counts one decision. */
  record(event: DecisionEvent): void {
    const cell = cellOf(event);
    const counts = this.#countsAt(event.at - (event.at % MINUTE));
    countIn(this.#totals, cell);
    countIn(counts.tally, cell);
    this.#demand.add(event);
    if (event.apiKeyId !== null) this.#usage.add(event, event.apiKeyId);
    for (const id of event.overrideIds) this.#usage.use(`override:${id}`, event.at);
    if (event.outcome === 'allowed') return;
    if (event.outcome === 'refused' && event.subjectType !== null && event.identifier !== null) {
      counts.refused.add(event.subjectType, event.identifier, event.class);
    }
    this.#notable.add(event);
    for (const listener of this.#listeners) listener(event);
  }

  /** API keys that requests were counted for since they were taken last, at most so many. */
  takeUsedKeys(most: number): string[] {
    return this.#usage.takeKeys(most);
  }

  /** Puts keys back that were taken in vain. */
  lookAgain(apiKeyIds: readonly string[]): void {
    this.#usage.keepKeys(apiKeyIds);
  }

  /** Remembers that a credential was used: `token:<id>` or `member:<id>`. Keys and overrides come with their decisions. */
  used(subject: string, at: Millis): void {
    this.#usage.use(subject, at);
  }

  /** Calls `listener` for each refusal, bypass and degraded decision of this process, as it happens. It must not throw, and what it passes on is as the client wrote it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Everything counted since the process started, for `/metrics`. */
  totals(): TallyCell[] {
    return cellsOf(this.#totals);
  }

  /** Decisions that are in the counts and were not kept one by one. */
  get skipped(): number {
    return this.#notable.skipped;
  }

  /** Writes in a row that failed; 0 when the last one was good. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Writes what waits, in one bounded transaction. When that fails, everything is kept and tried again with the next
   * call; the fault is logged once and never thrown.
   */
  flush(): Promise<void> {
    this.#tail = this.#tail.then(() => this.#write());
    return this.#tail;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.flush(), this.#options.interval ?? 1_000);
    this.#timer.unref();
  }

  /** Stops the timer and writes all that waits, unless the database is out of reach. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopping = true;
    do await this.flush();
    while (this.#failures === 0 && this.#collect());
  }

  /**
   * Deletes what is older than it is kept for, a few hundred rows at a time.
   * @returns how many rows went; 0 when there is nothing left to do for now
   */
  maintain(now: Millis): Promise<number> {
    return removeOutdated(this.#options.database, now);
  }

  #countsAt(minute: Millis): MinuteCounts {
    if (this.#current?.minute === minute) return this.#current.counts;
    let counts = this.#minutes.get(minute);
    if (counts === undefined) {
      counts = { tally: emptyTally(), refused: new TopIdentifiers() };
      this.#minutes.set(minute, counts);
      const [oldest] = this.#minutes.keys();
      if (this.#minutes.size > MOST_MINUTES && oldest !== undefined) this.#minutes.delete(oldest);
    }
    this.#current = { minute, counts };
    return counts;
  }

  async #write(): Promise<void> {
    if (this.#unwritten.length === 0) this.#collect();
    try {
      await writeBehind(this.#options.database, this.#unwritten);
      this.#unwritten = [];
      if (this.#failures > 0) this.#options.logger.info({ failures: this.#failures }, 'statistics are written again');
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures === 1) this.#options.logger.warn({ err: error }, 'statistics cannot be written, they wait');
    }
  }

  /** Turns what was counted into statements, as many as one write takes. @returns whether there is anything to write */
  #collect(): boolean {
    if (this.#unwritten.length > 0) return true;
    const writes: Write[] = [];
    const now = this.#options.clock();
    for (const [minute, counts] of [...this.#minutes].slice(0, ROWS.minutes)) {
      const ends = this.#stopping || minute + MINUTE <= now;
      writes.push(...minuteWrites(minute, counts, ends));
      counts.tally.fill(0);
      if (!ends) continue;
      this.#minutes.delete(minute);
      if (this.#current?.minute === minute) this.#current = null;
    }
    const decisions = this.#notable.take(ROWS.decisions);
    if (decisions.length > 0) writes.push(addDecisions(decisions));
    const days = this.#usage.takeDays(ROWS.keyDays);
    if (days.length > 0) writes.push(addKeyDays(days));
    const uses = this.#usage.takeLastUses(ROWS.lastUses);
    if (uses.length > 0) writes.push(addLastUses(uses));
    const demand = this.#demand.take(this.#stopping ? Infinity : now, ROWS.demand);
    if (demand.length > 0) writes.push(addDemand(demand));
    this.#unwritten = writes;
    return writes.length > 0;
  }
}

/**
 * What a minute adds to the counts of its minute, hour and day. Of the identifiers, hour and day get theirs when the
 * minute ends, and only then are the lists cut to length: under attack every second brings others.
 */
function minuteWrites(minute: Millis, counts: MinuteCounts, ends: boolean): Write[] {
  const cells = cellsOf(counts.tally);
  const steps = ROLLUP_STEPS.map((step) => ({ step, start: startOf(minute, step * 1_000) }));
  const writes: Write[] = [];
  if (cells.length > 0) {
    writes.push(addRollups(steps.flatMap(({ step, start }) => cells.map((cell) => [step, start, cell] as const))));
  }
  const most = ends ? ROWS.identifiersOfMinute : ROWS.identifiers;
  const live = counts.refused.take(most, 'minute');
  const longer = ends ? counts.refused.take(most, 'longer') : [];
  const rows = steps.flatMap(({ step, start }) =>
    (step === 60 ? live : longer).map((one) => [step, start, one] as const),
  );
  if (rows.length > 0) writes.push(addIdentifiers(rows));
  if (ends && !counts.refused.isEmpty) writes.push(...steps.map(({ step, start }) => trimIdentifiers(step, start)));
  return writes;
}
