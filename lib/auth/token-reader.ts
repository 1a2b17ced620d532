import { and, inArray, isNull } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { adminTokens } from '@/drizzle/schema';
import type { Actor } from '@/lib/auth/actor';
import { hashSecret } from '@/lib/auth/secret-hash';
import { TokenRoleSchema } from '@/lib/contract/fields/enumerations';
import type { Database } from '@/lib/db/database';
import { convertDatabaseError, DatabaseUnavailable, isBusy } from '@/lib/db/errors';
import { runWithTimeout } from '@/lib/db/run-with-timeout';
import { SelectRows } from '@/lib/db/select-rows';
import type { Millis } from '@/lib/units';

/** A token that was not revoked. */
interface TokenRecord {
  /** The owner of the token. */
  readonly actor: Actor;
  readonly expiresAt: Millis | null;
}

type Waiting = { hash: string; resolve: (found: TokenRecord | null) => void; reject: (error: unknown) => void };

/** Columns of a token that `TokenReader` needs. */
export const TOKEN_COLUMNS = {
  hash: adminTokens.tokenHash,
  id: adminTokens.id,
  name: adminTokens.name,
  role: adminTokens.role,
  expiresAt: adminTokens.expiresAt,
};
export type TokenRow = { hash: string } & Pick<typeof adminTokens.$inferSelect, 'id' | 'name' | 'role' | 'expiresAt'>;

/** Most cached tokens. */
export const MOST_CACHED = 1_000;

const BY_HASH = 'select id, name, role, expires_at from admin_tokens where token_hash = ? and revoked_at is null';

/** A version of the rules. Every change creates one, including changes of tokens. */
interface RulesVersion {
  /** Revision of the rules. The object is replaced after the database has gone back. */
  readonly revision: number;
}

/** A cached token, with the version of the rules before its look-up. */
interface Remembered {
  readonly record: TokenRecord;
  readonly rules: RulesVersion | null;
  readonly revision: number;
}

/**
 * Finds tokens by the hash of their secret. `find` queries the database, so a revocation takes effect with the next
 * request in every process.
 *
 * Concurrent requests share look-ups that begin after they arrived. In an embedded database, this is one prepared
 * statement at the end of the event-loop turn. In a remote one, it is one query for all that wait for the previous
 * query.
 */
export class TokenReader {
  #statement: SelectRows | null = null;
  /** Pending look-ups of this event-loop turn, by hash. */
  readonly #turn = new Map<string, Promise<TokenRecord | null>>();
  #waiting: Waiting[] = [];
  #asking = false;
  /** Cached tokens, by hash. */
  readonly #remembered = new LRUCache<string, Remembered>({ max: MOST_CACHED });
  /** Hashes of valid tokens. Hashing one for each decision would be a twentieth of the decision's cost. */
  readonly #hashes = new LRUCache<string, string>({ max: 100 });

  /** @param rules the current rules, in an object that is changed in place; null by default */
  constructor(
    private readonly database: Database,
    private readonly rules: () => RulesVersion | null = () => null,
  ) {}

  /** @throws DatabaseUnavailable */
  async find(hash: string): Promise<TokenRecord | null> {
    const rules = this.rules();
    const revision = rules?.revision ?? 0;
    const record = await this.#find(hash);
    if (record === null) this.#remembered.delete(hash);
    else this.#remembered.set(hash, { record, rules, revision });
    return record;
  }

  /** Caches tokens that were read at the same time as the current rules. */
  remember(rows: readonly TokenRow[]): void {
    const rules = this.rules();
    const revision = rules?.revision ?? 0;
    for (const { hash, ...row } of rows) this.#remembered.set(hash, { record: buildTokenRecord(row), rules, revision });
  }

  /**
   * Returns a cached token if the rules have not changed since its look-up. The caller must check afterwards whether
   * there are newer rules. @returns undefined if the token must be looked up
   */
  getCached(token: string): TokenRecord | undefined {
    const cachedHash = this.#hashes.get(token);
    const hash = cachedHash ?? hashSecret(token);
    const found = this.#remembered.get(hash);
    if (cachedHash === undefined && found !== undefined) this.#hashes.set(token, hash);
    const rules = this.rules();
    if (found === undefined || rules === null) return undefined;
    return found.rules === rules && found.revision === rules.revision ? found.record : undefined;
  }

  #find(hash: string): Promise<TokenRecord | null> {
    const { handle } = this.database;
    if (handle === null) return this.#shareRead(hash);
    const awaited = this.#turn.get(hash);
    if (awaited !== undefined) return awaited;
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#turn.delete(hash);
      return this.#read(handle, hash);
    });
    this.#turn.set(hash, found);
    return found;
  }

  /**
   * Works like `find`, but uses the cached token while the database is down, or does not answer for `patience`. Only
   * the metrics use it, because they must be readable during an outage.
   */
  async findOrRemember(hash: string, patience: Millis = 1_000): Promise<TokenRecord | null> {
    try {
      const createTimeoutError = () => new DatabaseUnavailable('The token could not be looked up in time.');
      return await runWithTimeout(this.find(hash), patience, createTimeoutError);
    } catch (error) {
      const cached = this.#remembered.get(hash);
      if (cached === undefined || !(error instanceof DatabaseUnavailable)) throw error;
      return cached.record;
    }
  }

  async #read(handle: NonNullable<Database['handle']>, hash: string): Promise<TokenRecord | null> {
    try {
      this.#statement ??= new SelectRows(handle, BY_HASH);
      const [row] = this.#statement.all([hash]);
      return row === undefined ? null : parseCells(row);
    } catch (error) {
      if (isBusy(error)) return this.#shareRead(hash);
      throw convertDatabaseError(error);
    }
  }

  #shareRead(hash: string): Promise<TokenRecord | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash, resolve, reject });
      if (!this.#asking) void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, 200);
      try {
        const hashes = [...new Set(group.map((lookup) => lookup.hash))];
        const rows = await this.database.drizzle
          .select(TOKEN_COLUMNS)
          .from(adminTokens)
          .where(and(inArray(adminTokens.tokenHash, hashes), isNull(adminTokens.revokedAt)));
        const found = new Map(rows.map(({ hash, ...row }) => [hash, buildTokenRecord(row)]));
        for (const { hash, resolve } of group) resolve(found.get(hash) ?? null);
      } catch (error) {
        const typed = convertDatabaseError(error);
        for (const { reject } of group) reject(typed);
      }
    }
    this.#asking = false;
  }
}

function parseCells(row: unknown): TokenRecord | null {
  const [id, name, role, expiresAt] = Array.isArray(row) ? (row as unknown[]) : [];
  const parsed = TokenRoleSchema.safeParse(role);
  if (typeof id !== 'string' || typeof name !== 'string' || !parsed.success) return null;
  if (expiresAt !== null && !Number.isSafeInteger(expiresAt)) return null;
  return buildTokenRecord({ id, name, role: parsed.data, expiresAt: expiresAt === null ? null : Number(expiresAt) });
}

function buildTokenRecord({ id, name, role, expiresAt }: Omit<TokenRow, 'hash'>): TokenRecord {
  return { actor: { id: `token:${id}`, name, role }, expiresAt };
}
