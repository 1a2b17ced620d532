import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/* Data of the OAuth lab. It grants access to nothing but the lab; no admin code reads these tables. Times are
   milliseconds since the Unix epoch. */

const madeAt = () => ({ createdAt: integer('created_at').notNull() });

/** Codes, refresh tokens, pushed requests, consents, proofs and assertions: everything that works once. */
export const labTickets = sqliteTable(
  'lab_tickets',
  {
    /** Order of creation. The oldest are evicted first. */
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    kind: text('kind', {
      enum: [
        'code',
        'refresh',
        'consent',
        'logout',
        'par',
        'dpop',
        'assertion',
        'device',
        'user-code',
        'device-consent',
      ],
    }).notNull(),
    /** SHA-256 of the secret, base64url. */
    hash: text('hash').notNull(),
    /** JSON. */
    payload: text('payload').notNull(),
    ...madeAt(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
    /** Grant that resulted from it. */
    mark: text('mark'),
  },
  (t) => [
    uniqueIndex('lab_tickets_hash').on(t.kind, t.hash),
    index('lab_tickets_seq').on(t.kind, t.seq),
    index('lab_tickets_expires').on(t.expiresAt),
  ],
);

/** Revoked tokens and grants, each with the control that revoked it. */
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

/** The lab's own signing key, created once. */
export const labKeys = sqliteTable('lab_keys', {
  /** `signing` or `id-token`. The primary key lets only the first writer of each succeed. */
  use: text('use').primaryKey(),
  kid: text('kid').notNull(),
  /** Private JWK, as JSON. */
  jwk: text('jwk').notNull(),
  ...madeAt(),
});
