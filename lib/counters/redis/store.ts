import { buildCounterState } from '@/lib/counters/counter-state';
import { EXCHANGE_SCRIPT, READ_SCRIPT } from '@/lib/counters/redis/change-scripts';
import { COMMIT_SCRIPT } from '@/lib/counters/redis/commit-script';
import { contactRedis, type RedisContact, type StoredMarks } from '@/lib/counters/redis/contact';
import {
  LONG_TTL,
  PREFIX,
  publishRevision,
  REVISION_KEY,
  readInstallation,
  readStoreId,
  readTexts,
  scanNames,
  writeStoreId,
} from '@/lib/counters/redis/keys';
import { RedisLeasing } from '@/lib/counters/redis/leasing';
import type { RedisLink, RedisLinkOptions } from '@/lib/counters/redis/link';
import { createReplyFault, parseTimeReply } from '@/lib/counters/redis/replies';
import { RedisResets } from '@/lib/counters/redis/resets';
import { parseStoredRevision, RevisionLog } from '@/lib/counters/redis/revision-log';
import { decodeVerdicts, encodeGroup, readStoredMonth, readStoredWindow } from '@/lib/counters/redis/script-messages';
import {
  type Commit,
  type CounterRef,
  type CounterStore,
  NO_SETTLEMENTS,
  type Settlement,
  StoreUnavailable,
} from '@/lib/counters/store';
import type { Attempt } from '@/lib/limiter/meter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

export interface RedisCountersOptions extends RedisLinkOptions {
  /** Wall clock. It determines only the pace of the log and how long a reset is kept. Counting uses the server's clock. */
  clock: () => Millis;
  /**
   * Reads the newest revision from the primary of the database. Called after each new connection, and whenever the
   * revision in Redis is not the caller's.
   */
  newestRevision: () => Promise<number>;
  /** Names the database, without spaces, because Redis may hold the revision of a different database. */
  installation: string;
  /** The connection, if it was made already. */
  contact?: RedisContact | undefined;
}

/** Time after which the revision in Redis is read again. The read also renews its expiry. */
const SEEN_FOR: Millis = 60_000;
/** Maximum number of tries of a group while other processes keep writing another revision. */
const MOST_TRIES = 10;

/** The revision in Redis, after it agreed with the database's. */
interface SeenRevision {
  readonly text: string;
  readonly revision: number;
  /** Generation of the connection on which it was read. */
  readonly generation: number;
  readonly at: Millis;
}

/**
 * Counters in Redis or Valkey, 6.2 or later. A group is one script call, and the server's clock applies.
 *
 * Before it changes anything, the script compares the revision in Redis with the text that this process has seen. This
 * process compares that text with the database's revision if it is not the caller's revision, and on each new
 * connection. The server may have restarted without its data, or a lagging replica may have replaced it.
 *
 * The database is authoritative, because a change is committed there before it is published here. A lower number in the
 * database therefore means that the database went back.
 */
export class RedisCounters implements CounterStore {
  readonly kind = 'redis';
  readonly leasing: RedisLeasing;
  readonly #connection: RedisLink;
  readonly #log: RevisionLog;
  readonly #resets: RedisResets;
  /** Generation of the connection for which the stored revision was compared with the database's. */
  #verified = 0;
  #seen: SeenRevision | null = null;
  /** Clock skew (server minus local). */
  #skew: Millis = 0;
  #storeId: string | null = null;
  /** The marks that a start reads, with the generation of the connection on which they were read. */
  #found: (StoredMarks & { generation: number }) | null = null;

  private constructor(
    private readonly options: RedisCountersOptions,
    connection: RedisLink,
  ) {
    this.#connection = connection;
    this.#log = new RevisionLog(options.logger, options.installation);
    this.#resets = new RedisResets(this.#connection, options.clock);
    this.leasing = new RedisLeasing({
      connection: this.#connection,
      seen: (revision) => (this.#freshRevision?.revision === revision ? this.#freshRevision.text : null),
    });
  }

  /**
   * Connects. A server that is down is no error: every call fails until it is up.
   * @throws RedisUrlError, RedisUnsupported
   */
  static async open(options: RedisCountersOptions): Promise<RedisCounters> {
    const { link, generation, marks } = options.contact ?? (await contactRedis(options));
    const store = new RedisCounters(options, link);
    await link.open();
    const found = await marks;
    if (found !== null) store.#found = { ...found, generation };
    return store;
  }

  prepare(revision: number): void {
    const found = this.#found;
    this.#found = null;
    if (found === null || found.generation !== this.#connection.generation) return;
    const stored = parseStoredRevision(found.revision);
    if (stored?.installation !== this.options.installation || stored.revision !== revision) return;
    const { generation } = found;
    this.#verified = generation;
    this.#seen = { text: found.revision, revision, generation, at: this.options.clock() };
  }

  /**
   * @throws RangeError like `evaluateGroup`
   * @throws StoreUnavailable; after a lost connection or a timeout the group may still have been counted
   */
  async commit(
    revision: number,
    attempts: readonly Attempt[],
    settlements: readonly Settlement[] = NO_SETTLEMENTS,
  ): Promise<Commit> {
    const thawing = this.#connection.thaw?.();
    if (thawing) await thawing;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const seen =
        this.#freshRevision?.revision === revision ? this.#freshRevision : await this.#readRevision(revision);
      if (seen.revision !== revision) return { kind: 'stale', revision: seen.revision };
      if (seen.generation !== this.#connection.generation) continue;
      const clock = this.options.clock();
      const { names, plan } = encodeGroup(attempts, clock + this.#skew, settlements);
      const reply = await this.#connection.run(COMMIT_SCRIPT, [REVISION_KEY, ...names], [seen.text, plan], 'bytes');
      if (Buffer.isBuffer(reply)) {
        const decided = decodeVerdicts(attempts, reply, settlements);
        this.#skew = decided.now - clock;
        return { kind: 'decided', ...decided };
      }
      // Either the clocks disagree on the month, or another process has written the revision.
      if (typeof reply === 'number') this.#skew = reply - clock;
      else if (!Array.isArray(reply)) throw createReplyFault();
      else if (this.#seen === seen) this.#seen = null;
    }
    throw new StoreUnavailable('The revision of the rules in Redis keeps changing.');
  }

  /** The revision in Redis, or null if it must be read again. */
  get #freshRevision(): SeenRevision | null {
    const seen = this.#seen;
    if (seen === null || seen.generation !== this.#connection.generation) return null;
    return Math.abs(this.options.clock() - seen.at) < SEEN_FOR ? seen : null;
  }

  /**
   * Reads the revision in Redis and makes it agree with the database's. The database is not read if Redis holds the
   * caller's revision on a verified connection. If another process writes the revision concurrently, both are read
   * again.
   */
  async #readRevision(expected: number): Promise<SeenRevision> {
    const { installation, clock } = this.options;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { generation } = this.#connection;
      const isVerified = generation === this.#verified;
      const reading = readTexts(this.#connection, [REVISION_KEY]);
      // A new connection needs the database in any case, so both are read at once.
      const [texts, early] = await Promise.all([reading, isVerified ? null : this.#readNewestRevision()]);
      const held = texts[0] ?? '';
      const stored = parseStoredRevision(held);
      const own = stored?.installation === installation ? stored.revision : null;
      const isTrusted = own === (isVerified ? expected : early);
      // If they differ, a change may have happened between the two reads, so the database is read once more.
      const revision = isTrusted && own !== null ? own : await this.#readNewestRevision();
      const text = own === revision ? held : `${revision} ${(stored?.writes ?? 0) + 1} ${installation}`;
      const written = this.#connection.run(EXCHANGE_SCRIPT, [REVISION_KEY], [held, text, LONG_TTL]);
      // Without a correction it only renews the expiry. The group compares the text itself, so it need not wait.
      if (text === held) written.catch(() => undefined);
      else if ((await written) !== 1) continue;
      // A Redis that this process uses for the first time may be empty.
      if (held !== '' || this.#verified !== 0) this.#log.logCorrection(held, revision, clock());
      this.#verified = generation;
      this.#seen = { text, revision, generation, at: clock() };
      return this.#seen;
    }
    throw new StoreUnavailable('The revision of the rules in Redis keeps changing.');
  }

  async read(counters: readonly CounterRef[]) {
    const keys = counters.map(({ key }) => PREFIX + key);
    const listMonths = (now: Millis) =>
      counters.map(({ window }) => (window.kind === 'month' ? computeCalendarMonth(now, window.anchor) : ''));
    const readAt = async (clock: Millis) => {
      const months = listMonths(clock + this.#skew);
      const reply = await this.#connection.run(READ_SCRIPT, keys, months);
      const [time, ...stored]: unknown[] = Array.isArray(reply) ? reply : [];
      const now = parseTimeReply(time);
      if (stored.length !== counters.length) throw createReplyFault();
      this.#skew = now - clock;
      return { now, months, stored, isCurrent: listMonths(now).every((month, i) => month === months[i]) };
    };
    let reading = await readAt(this.options.clock());
    // The clocks disagreed on the month.
    if (!reading.isCurrent) reading = await readAt(this.options.clock());
    const { now, months, stored } = reading;
    return counters.map(({ key, window }, i) => {
      const counter =
        window.kind === 'month' ? readStoredMonth(stored[i], Number(months[i])) : readStoredWindow(stored[i]);
      return buildCounterState(key, counter, window, now);
    });
  }

  /** Scans the whole key space in steps. */
  async listKeys(prefix: string, limit: number): Promise<string[]> {
    const found = new Set<string>();
    for await (const names of scanNames(this.#connection, prefix)) {
      for (const name of names) found.add(name.slice(PREFIX.length));
      if (found.size >= limit) break;
    }
    return [...found].sort().slice(0, limit);
  }

  clear: CounterStore['clear'] = (selection, kept) => this.#resets.clear(selection, kept);
  resetUsage: CounterStore['resetUsage'] = (counter, kept) => this.#resets.resetUsage(counter, kept);
  restore: CounterStore['restore'] = (seq) => this.#resets.restore(seq);

  async publish(revision: number): Promise<void> {
    await publishRevision(this.#connection, revision, this.options.installation);
  }

  /** Does nothing, because every key expires by itself. */
  async sweep(_budget: number): Promise<number> {
    return 0;
  }

  get isCluster(): boolean {
    return this.#connection.isCluster;
  }

  /** Returns whether this Redis holds the revision of this installation. */
  async isKnown(): Promise<boolean> {
    return (await readInstallation(this.#connection)) === this.options.installation;
  }

  /**
   * Returns the id that marks this Redis as the active store of an installation. Null if there is none. During a start
   * it was read already.
   */
  async readStoreId(): Promise<string | null> {
    return this.#found === null ? readStoreId(this.#connection) : this.#found.storeId;
  }

  /** Marks this Redis as the active store. */
  async writeStoreId(id: string): Promise<void> {
    this.renewStoreId(id);
    await writeStoreId(this.#connection, id);
  }

  /** Lets each `ping` renew the mark, which is right. */
  renewStoreId(id: string): void {
    this.#storeId = id;
  }

  async ping(): Promise<void> {
    await this.#connection.runCommand('set', ['sluice:{c}ping', '1', 'PX', 60_000]);
    if (this.#storeId !== null) await writeStoreId(this.#connection, this.#storeId);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #readNewestRevision(): Promise<number> {
    return this.options.newestRevision().catch((error: unknown) => {
      throw new StoreUnavailable('The newest revision of the rules cannot be read.', { cause: error });
    });
  }
}
