import type { LoggedDecision } from '@/lib/contract/decisions';
import type { ServerEvent } from '@/lib/http/stream';

export interface LiveOptions {
  /** Reads decisions after an id, oldest first. */
  read: (after: number, limit: number) => Promise<readonly LoggedDecision[]>;
  /** Id after which the stream begins. */
  after: number;
  /** Resolves after that many milliseconds, or when `signal` is aborted. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Returns whether the listener is still authorised. Checked with every heartbeat. */
  mayGoOn: () => Promise<boolean>;
  /** Returns whether the process is stopping. */
  isOver: () => boolean;
  signal: AbortSignal;
}

/** Interval of the polls, in milliseconds. The log holds the decisions of every process that shares the database. */
export const POLL = 1_000;
const AT_ONCE = 200;

/** Streams decisions as they reach the log, with a heartbeat every 15 seconds. */
export async function* streamDecisions(options: LiveOptions): AsyncGenerator<ServerEvent> {
  const { read, wait, mayGoOn, isOver, signal } = options;
  let after = options.after;
  let polls = 0;
  while (!signal.aborted && !isOver()) {
    // A failed poll yields no rows, so the stream survives a short outage of the database.
    const rows = await read(after, AT_ONCE).catch(() => []);
    for (const row of rows) {
      after = row.id;
      yield { id: String(row.id), event: 'decision', data: row };
    }
    if (rows.length < AT_ONCE) await wait(POLL, signal);
    polls += 1;
    if (polls % 15 !== 0) continue;
    if (!(await mayGoOn())) return;
    yield 'heartbeat';
  }
}
