import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type Libsql from 'libsql';

/** Pages of log at which a connection without a thread copies. A page that was written many times is copied once. */
export const PAGES_IN_TURN = 16_000;
/** Pages of log at which the thread begins to copy: 32 MiB. */
const PAGES = 8_000;
/** Pages of log at which the process's own connection copies even with a thread: 256 MiB. */
const FAR = 64_000;
/** Length in bytes that the log file keeps when the log restarts, so that it need not grow again. */
const KEPT = 256 * 2 ** 20;
/** Interval between checks of the log, in milliseconds. */
const EVERY = 100;
/** Longest wait for a running copy at the end, in milliseconds. */
const LONGEST_END = 10_000;

/**
 * Values of the first word of shared memory: the order for the thread. The second word is 1 after the thread has ended.
 */
const ORDER = { none: 0, copy: 1, end: 2 } as const;

/**
 * Code of the thread. It is text, because the product runs from sources, from Next's bundles and from esbuild's, and no
 * file path is right in all of them.
 *
 * SQLite syncs the file only after it has copied everything, which never happens during constant writes. The thread
 * therefore syncs after each pass, which leaves little for the connection that copies the last pages.
 */
const SOURCE = `
const { fdatasyncSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { library, path, file, memory } = workerData;
const words = new Int32Array(memory);
const isEnding = () => Atomics.load(words, 0) === ${ORDER.end};
let connection;

/** Passes until hardly anything is written during one, or no less than during the one before it. */
function copy(checkpoint) {
  for (let pages = 0, grown = Infinity; !isEnding(); ) {
    const [[busy, now]] = checkpoint.all();
    if (busy !== 0) return;
    fdatasyncSync(file);
    if (now - pages < 500 || now - pages >= grown) return;
    grown = now - pages;
    pages = now;
  }
}

try {
  const Libsql = require(library);
  connection = new Libsql(path);
  connection.exec('pragma busy_timeout = 0');
  connection.exec('pragma synchronous = normal');
  const checkpoint = connection.prepare('pragma wal_checkpoint(passive)').raw();
  while (!isEnding()) {
    copy(checkpoint);
    if (Atomics.compareExchange(words, 0, ${ORDER.copy}, ${ORDER.none}) === ${ORDER.copy}) parentPort.postMessage(null);
    Atomics.wait(words, 0, ${ORDER.none});
  }
} finally {
  connection?.close();
  Atomics.store(words, 1, 1);
  Atomics.notify(words, 1);
}
`;

export interface CheckpointOptions {
  /** Called once if the thread ends or cannot be started. Checkpoints then run on the event loop again. */
  failed: (error: unknown) => void;
  /** The libSQL that the thread loads. By default the one that this process has loaded. */
  library?: string;
}

interface Checkpointed {
  handle: Libsql.Database;
  /** Path of the file itself, not of a link to it. */
  path: string;
  isInPlace: () => boolean;
}

/**
 * Copies the write-ahead log of an embedded database into its file on a thread. The thread's connection makes passive
 * checkpoints, which block no reader and no writer (docs/decisions/0014-checkpoints-on-a-thread.md).
 *
 * The thread starts when the log is long for the first time, and keeps no process alive. Without it, the connection of
 * the process copies at a different length of the log.
 */
export class CheckpointThread {
  readonly #words = new Int32Array(new SharedArrayBuffer(8));
  readonly #timer: NodeJS.Timeout;
  #worker: Worker | null = null;
  #log: number | null = null;
  readonly #end = () => this.#endWorker();

  constructor(
    private readonly database: Checkpointed,
    private readonly options: CheckpointOptions,
  ) {
    this.#setLimits(FAR, KEPT);
    this.#timer = setInterval(() => this.#checkLogSize(), EVERY).unref();
  }

  /** Ends the thread. Blocks until a running copy has ended. */
  stop(): void {
    clearInterval(this.#timer);
    process.off('exit', this.#end);
    this.#endWorker();
    if (this.#log !== null) closeSync(this.#log);
    this.#log = null;
  }

  #checkLogSize(): void {
    try {
      if (!this.#isLong() || !this.database.isInPlace()) return;
      if (this.#worker === null) this.#start();
      else if (Atomics.compareExchange(this.#words, 0, ORDER.none, ORDER.copy) === ORDER.none)
        Atomics.notify(this.#words, 0);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Returns whether the log has `PAGES`. The page with that number then has the salt of the log's header, which changes
   * whenever the log restarts.
   */
  #isLong(): boolean {
    this.#log ??= openSync(`${this.database.path}-wal`, 'r');
    const header = Buffer.alloc(32);
    const salt = Buffer.alloc(8);
    if (readSync(this.#log, header, 0, 32, 0) < 32) return false;
    const page = 32 + (PAGES - 1) * (24 + header.readUInt32BE(8));
    return readSync(this.#log, salt, 0, 8, page + 8) === 8 && salt.equals(header.subarray(16, 24));
  }

  #start(): void {
    const { path } = this.database;
    const library = this.options.library ?? findLoadedLibrary();
    // This descriptor is never closed, because closing any descriptor of the file drops SQLite's locks on it (POSIX).
    const file = openSync(path, 'r+');
    Atomics.store(this.#words, 0, ORDER.copy);
    const workerData = { library, path, file, memory: this.#words.buffer };
    const worker = new Worker(SOURCE, { eval: true, execArgv: [], workerData });
    this.#worker = worker;
    worker.on('message', () => this.#copyRemainingPages());
    const handleWorkerEnd = (error: unknown) => {
      this.#worker = null;
      this.#fail(error);
    };
    worker.once('error', handleWorkerEnd);
    worker.once('exit', () => handleWorkerEnd(new Error('The thread has ended.')));
    worker.unref();
    // Stopping a thread during a call of libSQL crashes the process.
    process.once('exit', this.#end);
  }

  /**
   * Copies the pages that were written during the last pass of the thread. If nothing is left, the next writer restarts
   * the log.
   */
  #copyRemainingPages(): void {
    if (this.#worker === null || !this.database.handle.open) return;
    try {
      this.database.handle.exec('pragma wal_checkpoint(passive)');
    } catch {
      // SQLite ignores this fault after a commit too: nothing is lost, and the next attempt may work.
    }
  }

  #fail(error: unknown): void {
    clearInterval(this.#timer);
    if (Atomics.load(this.#words, 0) === ORDER.end) return;
    this.stop();
    if (this.database.handle.open) this.#setLimits(PAGES_IN_TURN, KEPT / 4);
    this.options.failed(error);
  }

  #endWorker(): void {
    Atomics.store(this.#words, 0, ORDER.end);
    if (this.#worker === null) return;
    Atomics.notify(this.#words, 0);
    Atomics.wait(this.#words, 1, 0, LONGEST_END);
    this.#worker = null;
  }

  #setLimits(pages: number, bytes: number): void {
    this.database.handle.exec(`pragma wal_autocheckpoint = ${pages}`);
    this.database.handle.exec(`pragma journal_size_limit = ${bytes}`);
  }
}

/** Finds the libSQL of this process. A second copy of SQLite would not see the locks of the first one. */
function findLoadedLibrary(): string {
  const { cache } = createRequire(`${process.cwd()}/`);
  const [path, ...others] = Object.keys(cache).filter((name) => /[/\\]libsql[/\\]index\.js$/.test(name));
  if (path === undefined || others.length > 0) throw new Error('libSQL is not loaded once.');
  return path;
}
