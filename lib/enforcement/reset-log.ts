import { z } from 'zod';
import type { AuditAction, UndoAction } from '@/lib/contract/audit-actions';
import type { Database } from '@/lib/db/database';
import { buildQuotaKey } from '@/lib/enforcement/quota-counter';
import type { Rules } from '@/lib/enforcement/rules';
import type { ApiKeyId } from '@/lib/ids';
import { isWithin, parseRange } from '@/lib/limiter/address';
import { buildCounterPrefix } from '@/lib/limiter/counter-key';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Resets and their undo actions. The undo of a reset cannot be undone. */
const RESETS: (AuditAction | UndoAction)[] = [
  'counters.reset',
  'quota.reset',
  'counters.reset.undo',
  'quota.reset.undo',
];

const SELECT = `
select seq, action, target, after, undoes from audit
where seq > ? and seq <= ? and action in (select value from json_each(?)) order by seq`;

/** A row of `SELECT`. */
const Row = z.object({
  seq: z.int(),
  action: z.string(),
  target: z.string().nullable().catch(null),
  after: z.string().nullable().catch(null),
  undoes: z.int().nullable(),
});

/** A reset in the audit log. */
interface RecordedReset {
  readonly seq: number;
  covers(key: string): boolean;
}

/**
 * Caches the resets in the audit log, so that a settlement reads the database only if it is the first of a revision. The
 * counter store then checks that revision. So a settlement takes back nothing that a reset has cleared, and races with
 * none.
 */
export class ResetLog {
  #rules: object | null = null;
  /** Resets with a number above `from`, up to `upTo`, are cached. */
  #from = 0;
  #upTo = 0;
  #resets: RecordedReset[] = [];
  readonly #undone = new Set<number>();

  /** @param most number of cached resets above which the older half is forgotten, and read again if it is needed */
  constructor(
    private readonly database: Pick<Database, 'client'>,
    private readonly most = 1_000,
  ) {}

  /**
   * Reads the resets between a revision and that of the rules, unless they are cached.
   * @param rules another object means that the database went back
   * @returns null if they are cached
   * @throws DatabaseUnavailable
   */
  read(since: number, rules: Pick<Rules, 'revision'>): Promise<void> | null {
    const { revision } = rules;
    if (this.#rules !== rules || revision < this.#upTo) this.#clear(rules, revision);
    if (revision === this.#upTo && since >= this.#from) return null;
    return this.#readMissing(Math.min(since, this.#from), revision);
  }

  /** Returns whether a reset after a revision has cleared a counter. A reset that was undone has cleared nothing. */
  hasCleared(key: string, since: number): boolean {
    return this.#resets.some(({ seq, covers }) => seq > since && !this.#undone.has(seq) && covers(key));
  }

  #clear(rules: object, revision: number): void {
    this.#rules = rules;
    this.#from = revision;
    this.#upTo = revision;
    this.#resets = [];
    this.#undone.clear();
  }

  async #readMissing(from: number, upTo: number): Promise<void> {
    const [rules, cachedFrom, cachedUpTo] = [this.#rules, this.#from, this.#upTo];
    const read = [await this.#select(from, cachedFrom), await this.#select(cachedUpTo, upTo)].flat();
    // Another call has read them concurrently.
    if (this.#rules !== rules || this.#from !== cachedFrom || this.#upTo !== cachedUpTo) return;
    this.#from = from;
    this.#upTo = upTo;
    for (const { seq, undoes, action, target, after } of read) {
      if (undoes !== null) this.#undone.add(undoes);
      else this.#resets.push({ seq, covers: matchCleared(action, target, after) });
    }
    // A call that reads older resets needs them.
    if (from === cachedFrom) this.#forgetOld();
  }

  #forgetOld(): void {
    if (this.#resets.length <= this.most) return;
    this.#resets.sort((a, b) => a.seq - b.seq);
    const forgotten = this.#resets.splice(0, this.#resets.length - Math.floor(this.most / 2));
    this.#from = forgotten.at(-1)?.seq ?? this.#from;
  }

  /** Reads from the primary, because a lagging replica may lack a reset. */
  async #select(from: number, upTo: number): Promise<z.output<typeof Row>[]> {
    if (from >= upTo) return [];
    const args = [from, upTo, JSON.stringify(RESETS)];
    const [result] = await this.database.client.batch([{ sql: SELECT, args }], 'write');
    return (result?.rows ?? []).map((row) => Row.parse({ ...row }));
  }
}

/** `after` in the audit record of a reset of counters. */
const Reset = z.object({
  type: z.string(),
  identifier: z.string(),
  class: z.custom<EndpointClass>((value) => typeof value === 'string').nullish(),
  quota: z.boolean().optional(),
  /** Id of the named limit. */
  limit_id: z.string().nullish(),
});

/** Returns a function that matches the counters which the reset of an audit record has cleared. */
function matchCleared(action: string, target: string | null, after: string | null): (key: string) => boolean {
  if (action === 'quota.reset') return (key) => key === buildQuotaKey(target as ApiKeyId);
  const reset = readReset(after);
  // The cleared counters are unknown, so nothing is given back.
  if (reset === null) return () => true;
  const { type, identifier, class: name, quota, limit_id: limitId } = reset;
  if (type === 'subject') return (key) => key.startsWith(buildCounterPrefix('limit', identifier, limitId ?? undefined));
  if (type === 'user_id') return (key) => key.startsWith(buildCounterPrefix('user', identifier, name ?? undefined));
  if (type !== 'ip') {
    const prefix = buildCounterPrefix('client', identifier);
    return (key) => key.startsWith(prefix) || (quota === true && key === buildQuotaKey(identifier as ApiKeyId));
  }
  const range = parseRange(identifier);
  return (key) => {
    const [kind, id = '', scope] = key.split('|');
    const counted = kind === 'ip' ? parseRange(id) : null;
    if (range === null || counted === null || (name != null && scope !== name)) return false;
    return isWithin(counted.first, range) || isWithin(range.first, counted);
  };
}

/** Reads the reset in an audit record. Null if it cannot be read. */
function readReset(after: string | null): z.output<typeof Reset> | null {
  try {
    return Reset.parse(JSON.parse(after ?? '{}'));
  } catch {
    return null;
  }
}
