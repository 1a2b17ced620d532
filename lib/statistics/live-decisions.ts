import type { LoggedDecision } from '@/lib/contract/decisions';
import type { ServerEvent } from '@/lib/http/event-stream';

export interface LiveOptions {
  /** Reads what came after an id, oldest first, at most `limit`. */
  read: (after: number, limit: number) => Promise<readonly LoggedDecision[]>;
  /** The id after which the stream begins. */
  after: number;
  /** Resolves after so many milliseconds, or when `signal` is aborted. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Whether the listener may still listen; asked with every heartbeat. */
  mayGoOn: () => Promise<boolean>;
  /** Whether to end at once, so that the process can stop. */
  isOver: () => boolean;
  signal: AbortSignal;
}

/** How often the log is looked at, in milliseconds: decisions of every process that shares the database are seen. */
export const POLL = 1_000;
/** Looks that found nothing until a heartbeat is sent: 15 seconds. */
const LOOKS_PER_HEARTBEAT = 15;
const AT_ONCE = 200;

/** Decisions as they reach the log, with a heartbeat every 15 seconds while there are none. */
export async function* liveDecisions(options: LiveOptions): AsyncGenerator<ServerEvent> {
  const { read, wait, mayGoOn, isOver, signal } = options;
  let after = options.after;
  let looks = 0;
  while (!signal.aborted && !isOver()) {
    // A look that fails is a look that saw nothing: the stream outlives a short outage of the database.
    const rows = await read(after, AT_ONCE).catch(() => []);
    for (const row of rows) {
      after = row.id;
      yield { id: String(row.id), event: 'decision', data: row };
    }
    if (rows.length < AT_ONCE) await wait(POLL, signal);
    looks += 1;
    if (looks % LOOKS_PER_HEARTBEAT !== 0) continue;
    if (!(await mayGoOn())) return;
    yield 'heartbeat';
  }
}
