import { sql } from 'drizzle-orm';
import { lastUses } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/** Shortest time between two writes for one subject. */
const LAST_USE_STEP: Millis = 60_000;

/** How long uses are collected before they are written together. */
const BATCH_DELAY: Millis = 1_000;

/**
 * Records when a credential was last used, after the request and outside the audit chain. A use that cannot be written
 * is dropped: it is a hint for people, and nothing is decided by it.
 */
export class LastUse {
  readonly #noted = new Map<string, Millis>();
  #pending = new Map<string, Millis>();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly database: Database) {}

  /** @param subject `token:<id>`, `member:<id>`, ... */
  note(subject: string, now: Millis): void {
    const before = this.#noted.get(subject);
    if (before !== undefined && now - before < LAST_USE_STEP && now >= before) return;
    if (this.#noted.size >= 10_000) this.#noted.clear();
    this.#noted.set(subject, now);
    this.#pending.set(subject, now);
    this.#timer ??= setTimeout(() => void this.flush(), BATCH_DELAY).unref();
  }

  /** Writes what is pending. Runs a second after a use, and when the process stops. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const pending = this.#pending;
    if (pending.size === 0) return;
    this.#pending = new Map();
    const statements = [...pending].map(([subject, at]) =>
      this.database.drizzle
        .insert(lastUses)
        .values({ subject, at })
        .onConflictDoUpdate({ target: lastUses.subject, set: { at: sql`max(${lastUses.at}, excluded.at)` } }),
    );
    await this.database.batch(statements).catch(() => undefined);
  }
}
