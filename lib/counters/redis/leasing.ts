import { randomUUID } from 'node:crypto';
import { buildMarkKey, PREFIX, REVISION_KEY } from '@/lib/counters/redis/keys';
import { RETURN_SCRIPT, TAKE_SCRIPT } from '@/lib/counters/redis/lease-scripts';
import type { RedisLink } from '@/lib/counters/redis/link';
import { createReplyFault } from '@/lib/counters/redis/replies';
import type { Leasing, Slice, Unspent } from '@/lib/counters/store';
import type { Meter } from '@/lib/limiter/meter';

interface RedisLeasingOptions {
  connection: Pick<RedisLink, 'run' | 'generation'>;
  /** Returns the text of this revision in Redis, or null if it must be read again. */
  seen: (revision: number) => string | null;
}

/** Takes and returns permits of counters in Redis, each in one script call. */
export class RedisLeasing implements Leasing {
  /** Prefix of the marks of this process. It is unique among all processes. */
  readonly #process = randomUUID();
  #taken = 0;

  constructor(private readonly options: RedisLeasingOptions) {}

  async take(revision: number, { key, limit, window }: Meter, permits: number): Promise<Slice | null> {
    const { connection, seen } = this.options;
    const held = seen(revision);
    if (held === null || window.kind !== 'sliding') return null;
    const { generation } = connection;
    const names = [REVISION_KEY, PREFIX + key, buildMarkKey(key)];
    this.#taken += 1;
    const mark = `${this.#process}.${this.#taken}`;
    const reply = await connection.run(TAKE_SCRIPT, names, [held, window.seconds, limit, permits, mark], 'bytes');
    if (reply === null) return null;
    if (!Buffer.isBuffer(reply) || reply.length < 24) throw createReplyFault();
    return {
      now: reply.readDoubleLE(0),
      permits: reply.readDoubleLE(8),
      used: reply.readDoubleLE(16),
      mark: `${generation} ${reply.toString('latin1', 24)}`,
    };
  }

  /** Permits of an earlier connection stay counted, because a replica may not have them. */
  async returnPermits(unspent: readonly Unspent[]): Promise<void> {
    const { connection } = this.options;
    const present = `${connection.generation} `;
    const taken = unspent.filter(({ mark }) => mark.startsWith(present));
    if (taken.length === 0) return;
    const names = taken.flatMap(({ key }) => [PREFIX + key, buildMarkKey(key)]);
    const args = taken.flatMap(({ mark, slot, permits }) => [mark.slice(present.length), slot, permits]);
    await connection.run(RETURN_SCRIPT, names, args);
  }
}
