import { counterState } from '@/lib/counters/counter-state';
import { FORGIVE_SCRIPT, PUBLISH_SCRIPT, READ_SCRIPT } from '@/lib/counters/redis/change-scripts';
import { COMMIT_SCRIPT } from '@/lib/counters/redis/commit-script';
import { RedisConnection, type RedisConnectionOptions } from '@/lib/counters/redis/connection';
import { decodeVerdicts } from '@/lib/counters/redis/decode-verdicts';
import { encodeGroup } from '@/lib/counters/redis/encode-group';
import { EpochDiary } from '@/lib/counters/redis/revision-log';
import { readStoredMonth, readStoredWindow } from '@/lib/counters/redis/stored-counter';
import {
  type Commit,
  type CounterChange,
  type CounterSelection,
  type CounterState,
  type CounterStore,
  StoreUnavailable,
} from '@/lib/counters/store';
import type { Attempt, Window } from '@/lib/limiter/meter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

export interface RedisCountersOptions extends RedisConnectionOptions {
  /** Wall clock; only names the month of a reset, and paces the log. Everything is counted by the server's clock. */
  clock: () => Millis;
  /**
   * The newest revision of the rules, read from the primary of the database. Asked after each connection, and whenever
   * the revision in Redis is not the caller's.
   */
  head: () => Promise<number>;
  /** Names the database: Redis may hold the revision of another one. Without spaces. */
  installation: string;
}

/** All keys carry one hash tag, so that they stay together wherever keys are spread. */
const PREFIX = 'sluice:{c}:';
const EPOCH_KEY = 'sluice:{c}epoch';
/** The epoch outlives every pause of a service that is used once in a month; each group renews it. */
const EPOCH_TTL = 32 * 86_400_000;
const PING_KEY = 'sluice:{c}ping';
const PING_TTL = 60_000;
const SCAN_STEP = 1_000;
/** What stands for the head while it was not asked for. */
const UNASKED = -1;
const DISPUTED = -2;
const STALE = -1;
/** How often the database is asked for one group, while others keep writing another epoch. */
const MOST_DISPUTES = 10;
/** No epoch looks like this: what Redis holds has to be looked at before it is changed. */
const UNSEEN = '?';

/**
 * Counters in Redis or Valkey, 6.2 or later. A group is one script call, and time is the server's. The script checks
 * the epoch before it touches anything. The epoch is a copy of the newest audit record's number. Where it is not the
 * caller's (missing, behind, ahead, of another database), and whenever the connection is new (the server may have been
 * restarted without its data, or replaced by a replica that was behind), the database is asked, and its word counts:
 * the epoch is set to it, up or down, unless somebody has written it since it was looked at. A change is committed to
 * the database before it is published here, so a lower number in the database means that the database went back.
 */
export class RedisCounters implements CounterStore {
  readonly kind = 'redis';
  readonly #options: RedisCountersOptions;
  readonly #connection: RedisConnection;
  readonly #diary: EpochDiary;
  /** The connection for which the server's epoch was compared with the database's. */
  #verified = 0;

  private constructor(options: RedisCountersOptions) {
    this.#options = options;
    this.#connection = new RedisConnection(options);
    this.#diary = new EpochDiary(options.logger, options.installation);
  }

  /**
   * Connects. A server that is not there yet is no error: every call fails until it is.
   * @throws RedisUrlError, RedisUnsupported
   */
  static async open(options: RedisCountersOptions): Promise<RedisCounters> {
    const store = new RedisCounters(options);
    await store.#connection.open();
    return store;
  }

  /**
   * @throws RangeError for an attempt that cannot be judged
   * @throws StoreUnavailable; the group may have been counted when the connection was lost or the answer came too late
   */
  async commit(epoch: number, attempts: readonly Attempt[]): Promise<Commit> {
    const { keys, plan } = encodeGroup(attempts);
    const names = [EPOCH_KEY, ...keys.map((key) => PREFIX + key)];
    const { generation } = this.#connection;
    let head = generation === this.#verified ? UNASKED : await this.#head();
    // A Redis that this process meets for the first time may well be empty.
    let seen = this.#verified === 0 ? '' : UNSEEN;
    for (let disputes = 0; disputes < MOST_DISPUTES; disputes += 1) {
      const reply = await this.#decide(names, epoch, head, seen, plan);
      const [now, second] = reply;
      if (now === DISPUTED) {
        seen = String(second ?? '');
        head = await this.#head();
        continue;
      }
      if (disputes > 0) this.#diary.settled(seen, head, this.#options.clock());
      this.#verified = generation;
      if (now === STALE) return { kind: 'stale', epoch: Number(second) };
      if (now < 0) throw new StoreUnavailable('Redis did not decide the group.');
      return { kind: 'decided', now, verdicts: decodeVerdicts(attempts, now, reply) };
    }
    throw new StoreUnavailable('The revision of the rules in Redis keeps changing.');
  }

  async read(counters: readonly { key: string; window: Window }[]): Promise<CounterState[]> {
    const keys = counters.map(({ key }) => PREFIX + key);
    const kinds = counters.map(({ window }) => (window.kind === 'month' ? 1 : 0));
    const month = monthAt(this.#options.clock());
    const reply = await this.#connection.run(READ_SCRIPT, keys, [month, ...kinds]);
    const [time, ...stored]: unknown[] = Array.isArray(reply) ? reply : [];
    const now = milliseconds(time);
    return counters.map(({ key, window }, i) => {
      const counter = window.kind === 'month' ? readStoredMonth(stored[i], month) : readStoredWindow(stored[i]);
      return counterState(key, counter, window, now);
    });
  }

  /** Walks through the whole key space in steps, without blocking the server. */
  async keys(prefix: string, limit: number): Promise<string[]> {
    const found = new Set<string>();
    for await (const names of this.#scan(prefix)) {
      for (const name of names) found.add(name.slice(PREFIX.length));
      if (found.size >= limit) break;
    }
    return [...found].sort().slice(0, limit);
  }

  clear(selection: CounterSelection): CounterChange {
    return { kind: 'action', run: () => this.#clear(selection) };
  }

  forgive(key: string): CounterChange {
    const month = monthAt(this.#options.clock());
    return {
      kind: 'action',
      run: async () => {
        await this.#connection.run(FORGIVE_SCRIPT, [PREFIX + key], [month, month + 1]);
      },
    };
  }

  async publish(epoch: number): Promise<void> {
    await this.#connection.run(PUBLISH_SCRIPT, [EPOCH_KEY], [epoch, EPOCH_TTL, this.#options.installation]);
  }

  /** Every key expires by itself. */
  async sweep(_budget: number): Promise<number> {
    return 0;
  }

  async ping(): Promise<void> {
    await this.#connection.command('set', [PING_KEY, '1', 'PX', PING_TTL]);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  async #decide(names: readonly string[], epoch: number, head: number, seen: string, plan: string): Promise<Answer> {
    const { installation } = this.#options;
    const args = [epoch, head, seen, installation, EPOCH_TTL, plan];
    const reply = await this.#connection.run(COMMIT_SCRIPT, names, args);
    if (!isAnswer(reply)) throw new StoreUnavailable('Redis answered something else than the script does.');
    return reply;
  }

  async #head(): Promise<number> {
    try {
      return await this.#options.head();
    } catch (error) {
      throw new StoreUnavailable('The newest revision of the rules cannot be read.', { cause: error });
    }
  }

  async #clear(selection: CounterSelection): Promise<void> {
    if ('prefix' in selection) {
      for await (const names of this.#scan(selection.prefix)) await this.#unlink(names);
      return;
    }
    for (let i = 0; i < selection.keys.length; i += SCAN_STEP) {
      await this.#unlink(selection.keys.slice(i, i + SCAN_STEP).map((key) => PREFIX + key));
    }
  }

  async #unlink(names: readonly string[]): Promise<void> {
    if (names.length > 0) await this.#connection.command('unlink', names);
  }

  async *#scan(prefix: string): AsyncGenerator<string[]> {
    const pattern = `${(PREFIX + prefix).replace(/[\\*?[\]]/g, '\\$&')}*`;
    let cursor = '0';
    do {
      const reply = await this.#connection.command('scan', [cursor, 'MATCH', pattern, 'COUNT', SCAN_STEP]);
      const [next, names]: unknown[] = Array.isArray(reply) ? reply : [];
      yield Array.isArray(names) ? names.map(String) : [];
      cursor = String(next ?? '0');
    } while (cursor !== '0');
  }
}

/** What `COMMIT_SCRIPT` answers; sums that are too large for the client's reader of integers are texts. */
type Answer = readonly [code: number, ...rest: (number | string)[]];

function isAnswer(reply: unknown): reply is Answer {
  return Array.isArray(reply) && typeof reply[0] === 'number';
}

/** The answer of TIME: seconds and microseconds. */
function milliseconds(time: unknown): Millis {
  const [seconds, micros]: unknown[] = Array.isArray(time) ? time : [];
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
