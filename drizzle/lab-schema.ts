import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/*
 * What the OAuth lab remembers. Nothing here opens anything but the lab: no admin code reads these tables.
 * Times are milliseconds since the Unix epoch.
 */

const madeAt = () => ({ createdAt: integer('created_at').notNull() });

/** Codes, refresh tokens, pushed requests, consents, proofs and assertions: whatever works once. */
export const labTickets = sqliteTable(
  'lab_tickets',
  {
    /** The order of making, by which the oldest make room. */
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    kind: text('kind', { enum: ['code', 'refresh', 'consent', 'par', 'dpop', 'assertion'] }).notNull(),
    /** SHA-256 of the secret, base64url. */
    hash: text('hash').notNull(),
    /** JSON. */
    payload: text('payload').notNull(),
    ...madeAt(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
    /** The grant that came of it. */
    mark: text('mark'),
  },
  (t) => [
    uniqueIndex('lab_tickets_hash').on(t.kind, t.hash),
    index('lab_tickets_seq').on(t.kind, t.seq),
    index('lab_tickets_expires').on(t.expiresAt),
  ],
);

/** Tokens and grants that were revoked, each in the name of the control that revokes it. */
export const labRevocations = sqliteTable(
  'lab_revocations',
  {
    /** `jti:<id>`, `access:<grant>`, `refresh:<grant>` or `grant:<grant>`. */
    id: text('id').notNull(),
    control: text('control').notNull(),
    until: integer('until').notNull(),
  },
  (t) => [primaryKey({ columns: [t.id, t.control] }), index('lab_revocations_until').on(t.until)],
);

/** The lab's own signing key, made once. */
export const labKeys = sqliteTable('lab_keys', {
  /** Always `signing`: the primary key is what makes the first writer win. */
  use: text('use').primaryKey(),
  kid: text('kid').notNull(),
  /** Private JWK, JSON. */
  jwk: text('jwk').notNull(),
  ...madeAt(),
});
