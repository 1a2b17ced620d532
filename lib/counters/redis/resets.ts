import {
  KEEP_SCRIPT,
  LIST_KEPT_SCRIPT,
  READ_SCRIPT,
  RESET_SCRIPT,
  RESTORE_SCRIPT,
} from '@/lib/counters/redis/change-scripts';
import { buildKeptKey, buildMarkKey, PREFIX, scanNames } from '@/lib/counters/redis/keys';
import type { RedisLink } from '@/lib/counters/redis/link';
import { createReplyFault, parseTimeReply, requireDone } from '@/lib/counters/redis/replies';
import type { CounterSelection, CounterStore, KeptReset } from '@/lib/counters/store';
import { computeCalendarMonth } from '@/lib/limiter/window';
import { splitInSteps } from '@/lib/split-in-steps';
import type { Millis } from '@/lib/units';

/** Names of counters per call. */
const STEP = 1_000;

type Resets = Pick<CounterStore, 'clear' | 'resetUsage' | 'restore'>;

/** Clears, resets and restores counters in Redis. */
export class RedisResets implements Resets {
  /** @param clock determines only the time for which a reset is kept */
  constructor(
    private readonly connection: RedisLink,
    private readonly clock: () => Millis,
  ) {}

  clear: CounterStore['clear'] = (selection, kept) => {
    const run = async () => {
      for await (const step of this.#listNames(selection)) {
        if (step.length === 0) continue;
        // Without its mark, a counter takes back no permits from before the reset.
        const names = [...step, ...step.map((name) => buildMarkKey(name.slice(PREFIX.length)))];
        if (kept === undefined) {
          if (typeof (await this.connection.runCommand('unlink', names)) !== 'number') throw createReplyFault();
          continue;
        }
        const args = [this.#readTimeToLive(kept), ...step];
        requireDone(await this.connection.run(KEEP_SCRIPT, [buildKeptKey(kept.seq), ...names], args));
      }
    };
    return { kind: 'action', run };
  };

  resetUsage: CounterStore['resetUsage'] = ({ key, window }, kept) => {
    const name = PREFIX + key;
    const keys = [name, buildKeptKey(kept?.seq ?? 0)];
    const run = async () => {
      // The time of the shard that has the counter. The month may end before the reset.
      const reply = await this.connection.run(READ_SCRIPT, [name], ['']);
      const month = computeCalendarMonth(parseTimeReply(Array.isArray(reply) ? reply[0] : null), window.anchor);
      const args = [kept === undefined ? 0 : this.#readTimeToLive(kept), name, month, month + 1];
      requireDone(await this.connection.run(RESET_SCRIPT, keys, args));
    };
    return { kind: 'action', run };
  };

  restore: CounterStore['restore'] = (seq) => {
    const run = async () => {
      const reply = await this.connection.run(LIST_KEPT_SCRIPT, [buildKeptKey(seq)], []);
      if (!Array.isArray(reply)) throw createReplyFault();
      const names = reply.map(String).filter((name) => name.startsWith(PREFIX));
      for (const step of splitInSteps(names, STEP)) {
        requireDone(await this.connection.run(RESTORE_SCRIPT, [buildKeptKey(seq), ...step], step));
      }
    };
    return { kind: 'action', run };
  };

  /** Lists the names of the selected counters in steps. */
  #listNames(selection: CounterSelection): AsyncIterable<string[]> | Iterable<string[]> {
    if ('prefix' in selection) return scanNames(this.connection, selection.prefix);
    const names = selection.keys.map((key) => PREFIX + key);
    return splitInSteps(names, STEP);
  }

  /** Returns the time for which a reset is kept, in milliseconds. */
  #readTimeToLive({ until }: KeptReset): number {
    return Math.max(1, until - this.clock());
  }
}
