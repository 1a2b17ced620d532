import { counterState } from '@/lib/counters/counter-state';
import { READ_SCRIPT } from '@/lib/counters/redis/change-scripts';
import { COMMIT_SCRIPT } from '@/lib/counters/redis/commit-script';
import { RedisConnection, type RedisConnectionOptions } from '@/lib/counters/redis/connection';
import {
  LONG_TTL,
  namesWith,
  PREFIX,
  publishRevision,
  REVISION_KEY,
  readHome,
  readInstallation,
  writeHome,
} from '@/lib/counters/redis/keys';
import { RedisLeasing } from '@/lib/counters/redis/leasing';
import { RedisResets } from '@/lib/counters/redis/resets';
import { RevisionLog } from '@/lib/counters/redis/revision-log';
import {
  decodeShort,
  decodeVerdicts,
  encodeGroup,
  encodeShort,
  readStoredMonth,
  readStoredWindow,
} from '@/lib/counters/redis/script-messages';
import { SHORT_SCRIPT } from '@/lib/counters/redis/short-script';
import { type Commit, type CounterRef, type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import type { Attempt } from '@/lib/limiter/meter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

export interface RedisCountersOptions extends RedisConnectionOptions {
  /** Wall clock; only names the month of a reset, and paces the log. The server counts by its own. */
  clock: () => Millis;
  /**
   * Reads the newest revision from the primary of the database: after each new connection, and whenever the one in Redis
   * is not the caller's.
   */
  newestRevision: () => Promise<number>;
  /** Names the database, without spaces: Redis may hold the revision of another one. */
  installation: string;
}

/** Stands for the database's revision while it was not read. */
const NOT_READ = -1;
/** Replies of the script: the stored revision is not the expected one; the caller's rules are out of date. */
const DISPUTED = -2;
const STALE = -1;
/** What was seen in Redis is asked for again after this time, which also renews it there. */
const SEEN_FOR: Millis = 60_000;
/** Stands for what Redis holds while it was not seen: no stored revision looks like this. */
const NOT_SEEN = '?';
/** How often the database is read for one group, while other processes keep writing another revision. */
const MOST_DISPUTES = 10;

/**
 * Counters in Redis or Valkey, 6.2 or later. A group is one script call, and time is the server's. The script checks
 * its copy of the revision before it touches anything. Where that is not the caller's (missing, behind, ahead, of another
 * database), and whenever the connection is new (the server may have restarted without its data, or a replica that was
 * behind may have replaced it), the database is read and is right: the copy is set to its revision, up or down, unless
 * another process has written the copy meanwhile. A change is committed to the database before it is published here, so
 * a lower number in the database means that the database went back.
 */
export class RedisCounters implements CounterStore {
  readonly kind = 'redis';
  readonly leasing: RedisLeasing;
  readonly #connection: RedisConnection;
  readonly #log: RevisionLog;
  readonly #resets: RedisResets;
  /** The generation of the connection for which the stored revision was compared with the database's. */
  #verified = 0;
  /** What Redis held when that was known to be this revision, on that connection. */
  #seen: { text: string; revision: number; generation: number; at: Millis } | null = null;
  #home: string | null = null;

  private constructor(private readonly options: RedisCountersOptions) {
    this.#connection = new RedisConnection(options);
    this.#log = new RevisionLog(options.logger, options.installation);
    this.#resets = new RedisResets(this.#connection, options.clock);
    this.leasing = new RedisLeasing({
      connection: this.#connection,
      seen: (revision) => this.#heldFor(revision, this.#connection.generation, options.clock()),
    });
  }

  /**
   * Connects. A server that is down is no error: every call fails until it is up.
   * @throws RedisUrlError, RedisUnsupported
   */
  static async open(options: RedisCountersOptions): Promise<RedisCounters> {
    const store = new RedisCounters(options);
    await store.#connection.open();
    return store;
  }

  /**
   * @throws RangeError as `evaluateGroup`
   * @throws StoreUnavailable; after a lost connection or a timeout the group may have been counted all the same
   */
  async commit(revision: number, attempts: readonly Attempt[]): Promise<Commit> {
    const { generation } = this.#connection;
    const clock = this.options.clock();
    const held = this.#heldFor(revision, generation, clock);
    const reply = held === null ? null : await this.#decideShortly(held, attempts, clock);
    if (Buffer.isBuffer(reply)) return { kind: 'decided', ...decodeShort(attempts, reply) };
    if (reply !== null) throw new StoreUnavailable('Redis did not reply as the script does.');
    return this.#commitGroup(revision, attempts, { generation, held, clock });
  }

  /** Null where only `COMMIT_SCRIPT` can decide. */
  async #decideShortly(held: string, attempts: readonly Attempt[], clock: Millis): Promise<unknown> {
    const short = encodeShort(attempts, clock);
    if (short === null) return null;
    const names = [REVISION_KEY, ...short.keys.map((key) => PREFIX + key)];
    return this.#connection.run(SHORT_SCRIPT, names, [held, short.plan], 'bytes');
  }

  async #commitGroup(
    revision: number,
    attempts: readonly Attempt[],
    { generation, held, clock }: { generation: number; held: string | null; clock: Millis },
  ): Promise<Commit> {
    const { keys, plan } = encodeGroup(attempts);
    const names = [REVISION_KEY, ...keys.map((key) => PREFIX + key)];
    let newest = generation === this.#verified ? NOT_READ : await this.#newestRevision();
    // A Redis that this process uses for the first time may well be empty.
    let seen = this.#verified === 0 ? '' : (held ?? NOT_SEEN);
    for (let disputes = 0; disputes < MOST_DISPUTES; disputes += 1) {
      const args = [revision, newest, seen, this.options.installation, LONG_TTL, plan];
      const reply = await this.#connection.run(COMMIT_SCRIPT, names, args, 'bytes');
      if (!isScriptReply(reply)) throw new StoreUnavailable('Redis did not reply as the script does.');
      const [now, second, text] = reply;
      if (now === DISPUTED) {
        seen = String(second ?? '');
        newest = await this.#newestRevision();
        continue;
      }
      if (disputes > 0) this.#log.corrected(seen, newest, this.options.clock());
      this.#verified = generation;
      if (now === STALE) return { kind: 'stale', revision: Number(second) };
      if (now < 0 || !Buffer.isBuffer(second)) throw new StoreUnavailable('Redis did not decide the group.');
      if (Buffer.isBuffer(text)) this.#seen = { text: text.toString(), revision, generation, at: clock };
      return { kind: 'decided', now, verdicts: decodeVerdicts(attempts, now, second) };
    }
    throw new StoreUnavailable('The revision of the rules in Redis keeps changing.');
  }

  /** What Redis holds as far as is known, null where it has to be compared number by number. */
  #heldFor(revision: number, generation: number, clock: Millis): string | null {
    const seen = this.#seen;
    if (seen === null || seen.revision !== revision || seen.generation !== generation) return null;
    return generation === this.#verified && Math.abs(clock - seen.at) < SEEN_FOR ? seen.text : null;
  }

  async read(counters: readonly CounterRef[]) {
    const keys = counters.map(({ key }) => PREFIX + key);
    const clock = this.options.clock();
    const months = counters.map(({ window }) => (window.kind === 'month' ? monthAt(clock, window.anchor) : ''));
    const reply = await this.#connection.run(READ_SCRIPT, keys, months);
    const [time, ...stored]: unknown[] = Array.isArray(reply) ? reply : [];
    const now = milliseconds(time);
    return counters.map(({ key, window }, i) => {
      const counter =
        window.kind === 'month' ? readStoredMonth(stored[i], Number(months[i])) : readStoredWindow(stored[i]);
      return counterState(key, counter, window, now);
    });
  }

  /** Scans the whole key space in steps. */
  async listKeys(prefix: string, limit: number): Promise<string[]> {
    const found = new Set<string>();
    for await (const names of namesWith(this.#connection, prefix)) {
      for (const name of names) found.add(name.slice(PREFIX.length));
      if (found.size >= limit) break;
    }
    return [...found].sort().slice(0, limit);
  }

  clear: CounterStore['clear'] = (selection, kept) => this.#resets.clear(selection, kept);
  resetUsage: CounterStore['resetUsage'] = (counter, kept) => this.#resets.resetUsage(counter, kept);
  restore: CounterStore['restore'] = (seq) => this.#resets.restore(seq);
  refund: CounterStore['refund'] = (id, charges) => this.#resets.refund(id, charges);

  async publish(revision: number): Promise<void> {
    await publishRevision(this.#connection, revision, this.options.installation);
  }

  /** Every key expires by itself. */
  async sweep(_budget: number): Promise<number> {
    return 0;
  }

  get isCluster(): boolean {
    return this.#connection.isCluster;
  }

  /** Whether this Redis holds the revision of this installation. */
  async isKnown(): Promise<boolean> {
    return (await readInstallation(this.#connection)) === this.options.installation;
  }

  /** The id that marks this Redis as the store of an installation's counters, null where there is none. */
  async readHome(): Promise<string | null> {
    return readHome(this.#connection);
  }

  /** Marks this Redis; each `ping` renews the mark. */
  async keepHome(id: string): Promise<void> {
    this.#home = id;
    await writeHome(this.#connection, id);
  }

  async ping(): Promise<void> {
    await this.#connection.command('set', ['sluice:{c}ping', '1', 'PX', 60_000]);
    if (this.#home !== null) await writeHome(this.#connection, this.#home);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #newestRevision(): Promise<number> {
    return this.options.newestRevision().catch((error: unknown) => {
      throw new StoreUnavailable('The newest revision of the rules cannot be read.', { cause: error });
    });
  }
}

/** See `COMMIT_SCRIPT`. */
function isScriptReply(reply: unknown): reply is readonly [code: number, second: unknown, third?: unknown] {
  return Array.isArray(reply) && typeof reply[0] === 'number';
}

/** The reply of TIME: seconds and microseconds. */
function milliseconds(time: unknown): Millis {
  const [seconds, micros]: unknown[] = Array.isArray(time) ? time : [];
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
