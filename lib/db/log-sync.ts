import { open } from 'node:fs/promises';
import { DatabaseUnavailable } from '@/lib/db/errors';

/** An open write-ahead log. */
export interface LogFile {
  /** fdatasync(2). */
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Brings the write-ahead log of an embedded database to the disk, on a thread of Node's pool: the event loop goes on
 * meanwhile, and all who wait at once share one call. What was committed is in order in the log, so a call keeps whatever
 * was committed before it began (docs/decisions/0012-changes-share-a-sync.md).
 *
 * After a call that failed, nothing is known of the log (the system may have dropped the pages that it could not write),
 * so nothing is called durable any more until the process is started again.
 */
export class LogSync {
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  #file: Promise<LogFile> | null = null;
  #failure: unknown;
  #isClosed = false;

  constructor(private readonly openLog: () => Promise<LogFile>) {}

  static of(path: string): LogSync {
    // Windows syncs only what is open for writing.
    return new LogSync(() => open(path, 'r+'));
  }

  /** @throws DatabaseUnavailable after a call that failed */
  requireWorking(): void {
    if (this.#failure !== undefined)
      throw new DatabaseUnavailable('The disk could not keep what was written; restart Sluice.', {
        cause: this.#failure,
      });
  }

  /** Resolves when all that is committed now survives a power cut. @throws DatabaseUnavailable */
  durable(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#running = this.#next ?? this.#running;
        this.#next = null;
        return this.#sync();
      });
    return this.#next;
  }

  /** For when the log goes into the database file, which is synced with that. */
  close(): void {
    this.#isClosed = true;
    this.#file?.then((file) => file.close()).catch(() => undefined);
    this.#file = null;
  }

  async #sync(): Promise<void> {
    this.requireWorking();
    if (this.#isClosed) return;
    this.#file ??= this.openLog();
    try {
      await (await this.#file).datasync();
    } catch (error) {
      if (this.#isClosed) return;
      this.#failure = error;
      this.requireWorking();
    }
  }
}
