import { and, inArray, isNull } from 'drizzle-orm';
import { adminTokens } from '@/drizzle/schema';
import { type TokenRole, TokenRoleSchema } from '@/lib/contract/fields/enumerations';
import type { Database } from '@/lib/db/database';
import { isBusy, toDatabaseError } from '@/lib/db/errors';
import type { Millis } from '@/lib/units';

/** A token that was not revoked. */
export interface TokenRecord {
  id: string;
  name: string;
  role: TokenRole;
  expiresAt: Millis | null;
}

type Waiting = { hash: string; resolve: (found: TokenRecord | null) => void; reject: (error: unknown) => void };

/** Most hashes in one query. */
const GROUP = 200;

const BY_HASH = 'select id, name, role, expires_at from admin_tokens where token_hash = ? and revoked_at is null';

/**
 * Finds tokens by the hash of their secret. Nothing is cached, so a revocation counts from the very next request in
 * every process. Requests that wait at the same time share a look-up that is made after they came: in an embedded
 * database one prepared statement at the end of the turn of the event loop, in a remote one a query for all of them,
 * which begins when the one that is under way has ended.
 */
export class TokenReader {
  #statement: { get: (hash: string) => unknown } | null = null;
  /** Look-ups of this turn of the event loop that are still to be made, by hash. */
  readonly #turn = new Map<string, Promise<TokenRecord | null>>();
  #waiting: Waiting[] = [];
  #asking = false;

  constructor(private readonly database: Database) {}

  /** @throws DatabaseUnavailable */
  find(hash: string): Promise<TokenRecord | null> {
    const { handle } = this.database;
    if (handle === null) return this.#share(hash);
    const awaited = this.#turn.get(hash);
    if (awaited !== undefined) return awaited;
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#turn.delete(hash);
      return this.#read(handle, hash);
    });
    this.#turn.set(hash, found);
    return found;
  }

  async #read(handle: NonNullable<Database['handle']>, hash: string): Promise<TokenRecord | null> {
    try {
      this.#statement ??= handle.prepare(BY_HASH).raw(true);
      const row = this.#statement.get(hash);
      return row === undefined ? null : fromRow(row);
    } catch (error) {
      if (isBusy(error)) return this.#share(hash);
      throw toDatabaseError(error);
    }
  }

  #share(hash: string): Promise<TokenRecord | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash, resolve, reject });
      if (!this.#asking) void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, GROUP);
      try {
        const rows = await this.database.drizzle
          .select({
            hash: adminTokens.tokenHash,
            id: adminTokens.id,
            name: adminTokens.name,
            role: adminTokens.role,
            expiresAt: adminTokens.expiresAt,
          })
          .from(adminTokens)
          .where(
            and(
              inArray(adminTokens.tokenHash, [...new Set(group.map((one) => one.hash))]),
              isNull(adminTokens.revokedAt),
            ),
          );
        const found = new Map(rows.map(({ hash, ...record }) => [hash, record]));
        for (const one of group) one.resolve(found.get(one.hash) ?? null);
      } catch (error) {
        const typed = toDatabaseError(error);
        for (const one of group) one.reject(typed);
      }
    }
    this.#asking = false;
  }
}

function fromRow(row: unknown): TokenRecord | null {
  const [id, name, role, expiresAt] = Array.isArray(row) ? (row as unknown[]) : [];
  const known = TokenRoleSchema.safeParse(role);
  if (typeof id !== 'string' || typeof name !== 'string' || !known.success) return null;
  return { id, name, role: known.data, expiresAt: typeof expiresAt === 'number' ? expiresAt : null };
}
