import { open } from 'node:fs/promises';
import { DatabaseUnavailable } from '@/lib/db/errors';

/** An open write-ahead log. */
export interface LogFile {
  /** Calls fdatasync(2). */
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Syncs the write-ahead log of an embedded database to the disk, on a thread of Node's pool. The event loop continues,
 * and all concurrent callers share one call. The log is sequential, so a call syncs everything that was committed
 * before it began (docs/decisions/0012-changes-share-a-sync.md).
 *
 * After a failed call, the state of the log is undefined, because the system may have dropped the pages that it could
 * not write. Every later call fails until the process restarts.
 */
export class LogSync {
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  #file: Promise<LogFile> | null = null;
  #failure: unknown;
  #isClosed = false;

  constructor(private readonly openLog: () => Promise<LogFile>) {}

  static create(path: string): LogSync {
    // Windows syncs only files that are open for writing.
    return new LogSync(() => open(path, 'r+'));
  }

  /** @throws DatabaseUnavailable after a failed call */
  requireWorking(): void {
    if (this.#failure !== undefined)
      throw new DatabaseUnavailable('The disk could not keep what was written; restart Sluice.', {
        cause: this.#failure,
      });
  }

  /** Resolves when all current commits survive a power cut. @throws DatabaseUnavailable */
  waitUntilDurable(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#running = this.#next ?? this.#running;
        this.#next = null;
        return this.#sync();
      });
    return this.#next;
  }

  /** Closes the log. Used when the log goes into the database file, which is then synced. */
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
