import type { Logger } from 'pino';
import type { Millis } from '@/lib/units';

/**
 * Parses the revision in Redis: `<revision> <writes> <installation>`. A revision of -1 is unknown. `writes` counts the
 * changes of the value, so that no two values are equal. The installation names the database of these rules. Returns
 * null if the key is missing, or if other software has written it.
 */
export function parseStoredRevision(text: string): { revision: number; writes: number; installation: string } | null {
  const [, revision, writes, installation] = /^(-?\d+) (\d+) (\S+)$/.exec(text) ?? [];
  if (revision === undefined || installation === undefined) return null;
  return { revision: Number(revision), writes: Number(writes), installation };
}

const MISSING = 'Redis holds no revision of the rules: it has lost its data, and counters start from 0';
const BEHIND = 'Redis was behind the database: a change of the rules had not reached it, or a replica took over';
const AHEAD =
  'Redis was ahead of the database: an older backup was restored, or its data was lost; the database is right';
const FOREIGN =
  'Redis held the revision of another Sluice installation and now follows this one. Counters of both are combined until their windows end.';
const SHARED =
  'Two Sluice installations share one Redis: their counters are combined, and every decision takes longer. Give each its own database number in REDIS_URL (redis://host/1).';

/** Time after which the same sentence is logged again. */
const REPEAT_AFTER: Millis = 60_000;

/** Logs faults of the stored revision, with one line for all groups that detect the same fault. */
export class RevisionLog {
  readonly #loggedAt = new Map<string, Millis>();
  #last: string | null = null;
  /** Time at which another installation's revision was last found. */
  #foreignAt: Millis | null = null;

  constructor(
    private readonly logger: Pick<Logger, 'warn' | 'error'>,
    private readonly installation: string,
  ) {}

  /** @param stored value in Redis before the database was read @param revision revision of the database */
  logCorrection(stored: string, revision: number, now: Millis): void {
    if (stored === this.#last) return;
    this.#last = stored;
    const before = parseStoredRevision(stored);
    if (before === null) {
      if (stored === '') this.#log('warn', MISSING, { revision }, now);
    } else if (before.installation !== this.installation) {
      const shared = this.#foreignAt !== null && Math.abs(now - this.#foreignAt) < REPEAT_AFTER;
      this.#foreignAt = now;
      this.#log(shared ? 'error' : 'warn', shared ? SHARED : FOREIGN, { revision }, now);
    } else if (before.revision > revision) {
      this.#log('warn', AHEAD, { redis: before.revision, database: revision }, now);
    } else if (before.revision >= 0 && before.revision < revision) {
      this.#log('warn', BEHIND, { redis: before.revision, database: revision }, now);
    }
  }

  #log(level: 'warn' | 'error', sentence: string, details: object, now: Millis): void {
    const at = this.#loggedAt.get(sentence);
    if (at !== undefined && Math.abs(now - at) < REPEAT_AFTER) return;
    this.#loggedAt.set(sentence, now);
    this.logger[level](details, sentence);
  }
}
