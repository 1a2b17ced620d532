import { sql } from 'drizzle-orm';
import { lastUses } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/** How often a subject's last use is written, at most. */
const LAST_USE_STEP: Millis = 60_000;

/** How long uses are gathered before they are written together. */
const GATHER: Millis = 1_000;

/**
 * Remembers when a credential was used last, behind the request that used it and outside the audit chain. A use that
 * could not be written is forgotten: it is a hint for people, and nothing is decided by it.
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
    this.#timer ??= setTimeout(() => void this.flush(), GATHER).unref();
  }

  /** Writes what was gathered. Called by itself a second after a use, and at a stop. */
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
