import type { Logger } from 'pino';
import { parseEpoch } from '@/lib/counters/redis/stored-revision';
import type { Millis } from '@/lib/units';

const MISSING = 'Redis holds no revision of the rules: it has lost its data, and counters begin anew';
const BEHIND = 'Redis was behind the database: a change of the rules had not reached it, or a replica took over';
const AHEAD =
  'Redis was ahead of the database: an older backup was restored, or its data was lost; the database is right';
const FOREIGN =
  'Redis was used by another database of Sluice; from now on it is used by this one. Counters of both are added up until their windows end.';
const SHARED =
  'Two Sluices with different databases use one Redis: their counters are added up, and every decision takes longer. Give each a database number of its own in REDIS_URL (redis://host/1).';

/** The same sentence is written again after so long. */
const AGAIN: Millis = 60_000;

/** Tells the operator what was wrong with the epoch in Redis: one line, however many groups have met it. */
export class EpochDiary {
  readonly #told = new Map<string, Millis>();
  #last: string | null = null;
  /** When another installation's epoch was met last. */
  #foreign: Millis | null = null;

  constructor(
    private readonly logger: Pick<Logger, 'warn' | 'error'>,
    private readonly installation: string,
  ) {}

  /**
   * @param held what Redis held before the database was asked
   * @param head the newest revision in the database
   */
  settled(held: string, head: number, now: Millis): void {
    if (held === this.#last) return;
    this.#last = held;
    const before = parseEpoch(held);
    if (before === null) {
      if (held === '') this.#tell('warn', MISSING, { revision: head }, now);
    } else if (before.installation !== this.installation) {
      const shared = this.#foreign !== null && Math.abs(now - this.#foreign) < AGAIN;
      this.#foreign = now;
      this.#tell(shared ? 'error' : 'warn', shared ? SHARED : FOREIGN, { revision: head }, now);
    } else if (before.revision > head) {
      this.#tell('warn', AHEAD, { redis: before.revision, database: head }, now);
    } else if (before.revision >= 0 && before.revision < head) {
      this.#tell('warn', BEHIND, { redis: before.revision, database: head }, now);
    }
  }

  #tell(level: 'warn' | 'error', sentence: string, details: object, now: Millis): void {
    const at = this.#told.get(sentence);
    if (at !== undefined && Math.abs(now - at) < AGAIN) return;
    this.#told.set(sentence, now);
    this.logger[level](details, sentence);
  }
}
