import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AdminTokenId, ApiKeyId, MemberId, UserId } from '@/lib/ids';

/* Every time is a whole number of milliseconds since the Unix epoch, in UTC. Every `revision` is the number of the
   audit record that last wrote the row. A process compares the highest one with its snapshot of the rules, and reads
   the rows above its own revision to update it. Rows of the snapshot are never deleted, only marked, so that a
   removal is visible like any other change. */

const made = () => ({ createdAt: integer('created_at').notNull(), createdBy: text('created_by').notNull() });
const revised = () => ({ revision: integer('revision').notNull() });
/** True if a state document named it. The next apply of the document overwrites manual changes. */
const managed = () => ({ managed: integer('managed', { mode: 'boolean' }).notNull().default(false) });
const identifierType = () => text('type', { enum: ['ip', 'user_id'] }).notNull();

/** Audit log: who changed what, why and from where. One record per change, in a hash chain. */
export const audit = sqliteTable(
  'audit',
  {
    seq: integer('seq').primaryKey(),
    at: integer('at').notNull(),
    /** `token:<id>`, `member:<id>`, `system` or `anonymous`. */
    actor: text('actor').notNull(),
    /** Readable name of the actor at the time: an e-mail address or a token's name. */
    actorName: text('actor_name').notNull(),
    /** `allowlist.add`, `quota.reset`, ... */
    action: text('action').notNull(),
    /** `allowlist`, `api_key`, `policies`, ... */
    targetType: text('target_type').notNull(),
    target: text('target').notNull(),
    /** JSON. Null if the object did not exist before. */
    before: text('before'),
    after: text('after'),
    reason: text('reason'),
    requestId: text('request_id'),
    address: text('address'),
    previousHash: text('previous_hash').notNull(),
    hash: text('hash').notNull(),
    /** Number of the record that this one undoes. */
    undoes: integer('undoes'),
  },
  (t) => [
    index('audit_undoes').on(t.undoes).where(sql`undoes is not null`),
    index('audit_actor').on(t.actor, t.seq),
    index('audit_action').on(t.action, t.seq),
    index('audit_target').on(t.target, t.seq),
    index('audit_at').on(t.at),
  ],
);

/** Documents: `policies` and `route-rules`, which the limiter uses, and `sign-in`. */
export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  /** JSON. */
  value: text('value').notNull(),
  updatedAt: integer('updated_at').notNull(),
  ...revised(),
  ...managed(),
});

/** Version of a document in `settings` before a change, for its undo. */
export const keptSettings = sqliteTable('kept_settings', {
  /** Revision of the change. */
  revision: integer('revision').primaryKey(),
  value: text('value').notNull(),
});

export const allowlist = sqliteTable(
  'allowlist',
  {
    id: text('id').primaryKey(),
    type: identifierType(),
    /** Canonical: RFC 5952 for IPv6, host bits of a range cleared. */
    identifier: text('identifier').notNull(),
    reason: text('reason').notNull(),
    expiresAt: integer('expires_at'),
    ...made(),
    removedAt: integer('removed_at'),
    ...revised(),
    ...managed(),
  },
  (t) => [
    uniqueIndex('allowlist_present').on(t.type, t.identifier).where(sql`removed_at is null`),
    index('allowlist_revision').on(t.revision),
    index('allowlist_created').on(t.createdAt),
  ],
);

/**
 * Numbers for one identifier or range of addresses in one class, or for one subject of a named limit. They replace those
 * of the limit.
 */
export const overrides = sqliteTable(
  'overrides',
  {
    id: text('id').primaryKey(),
    type: text('type', { enum: ['ip', 'user_id', 'subject'] }).notNull(),
    identifier: text('identifier').notNull(),
    /** Empty for a named limit. */
    class: text('class', { enum: ['auth', 'sensitive', 'read', 'write', 'lab', ''] }).notNull(),
    /** Numbers of a class. Of a named limit: those of its shortest window, or its places and their lease. */
    limit: integer('limit').notNull(),
    windowSeconds: integer('window_seconds').notNull(),
    reason: text('reason').notNull(),
    expiresAt: integer('expires_at'),
    ...made(),
    removedAt: integer('removed_at'),
    ...revised(),
    ...managed(),
    /** Empty for a class. */
    limitName: text('limit_name').notNull().default(''),
    /** JSON: windows and places of a named limit. Null for a class. */
    numbers: text('numbers'),
  },
  (t) => [
    uniqueIndex('overrides_present').on(t.type, t.identifier, t.class, t.limitName).where(sql`removed_at is null`),
    index('overrides_revision').on(t.revision),
    index('overrides_created').on(t.createdAt, t.id),
  ],
);

export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text('id').$type<ApiKeyId>().primaryKey(),
    name: text('name').notNull(),
    tier: text('tier', { enum: ['free', 'starter', 'business', 'enterprise'] }).notNull(),
    clientType: text('client_type', { enum: ['public', 'confidential'] }).notNull(),
    userId: text('user_id').$type<UserId>(),
    /** First characters of the secret, for recognition. */
    prefix: text('prefix').notNull(),
    /** SHA-256 of the secret, base64url. */
    secretHash: text('secret_hash').notNull(),
    previousSecretHash: text('previous_secret_hash'),
    /** End of the time in which the secret before the last rotation still works. */
    previousSecretUntil: integer('previous_secret_until'),
    overageAllowed: integer('overage_allowed', { mode: 'boolean' }).notNull().default(false),
    /** Day on which the quota's months begin, 1 to 31. */
    monthStartsOn: integer('month_starts_on').notNull().default(1),
    /** Offset of its month numbers, see `movedAnchor`. */
    monthShift: integer('month_shift').notNull().default(0),
    expiresAt: integer('expires_at'),
    ...made(),
    revokedAt: integer('revoked_at'),
    ...revised(),
    ...managed(),
    /** JSON: windows of named limits for this key alone, by the name of the limit. Null if it has none. */
    limits: text('limits'),
  },
  (t) => [
    uniqueIndex('api_keys_name').on(t.name).where(sql`revoked_at is null`),
    uniqueIndex('api_keys_secret').on(t.secretHash),
    index('api_keys_revision').on(t.revision),
    index('api_keys_created').on(t.createdAt, t.id),
  ],
);

/** Additional monthly requests of a key beyond its tier, until the grant ends. */
export const grants = sqliteTable(
  'grants',
  {
    id: text('id').primaryKey(),
    apiKeyId: text('api_key_id').$type<ApiKeyId>().notNull(),
    requests: integer('requests').notNull(),
    reason: text('reason').notNull(),
    until: integer('until').notNull(),
    ...made(),
    removedAt: integer('removed_at'),
    ...revised(),
    ...managed(),
  },
  (t) => [
    index('grants_api_key').on(t.apiKeyId),
    index('grants_revision').on(t.revision),
    index('grants_created').on(t.createdAt, t.id),
  ],
);

/** Credentials of automation for the admin and the decision API. */
export const adminTokens = sqliteTable(
  'admin_tokens',
  {
    id: text('id').$type<AdminTokenId>().primaryKey(),
    name: text('name').notNull(),
    role: text('role', { enum: ['viewer', 'operator', 'owner', 'gateway'] }).notNull(),
    prefix: text('prefix').notNull(),
    tokenHash: text('token_hash').notNull(),
    expiresAt: integer('expires_at'),
    ...made(),
    revokedAt: integer('revoked_at'),
    ...revised(),
  },
  (t) => [
    uniqueIndex('admin_tokens_hash').on(t.tokenHash),
    uniqueIndex('admin_tokens_name').on(t.name).where(sql`revoked_at is null`),
    index('admin_tokens_revision').on(t.revision),
  ],
);

/** People who may sign in. */
export const members = sqliteTable(
  'members',
  {
    id: text('id').$type<MemberId>().primaryKey(),
    /** Lower case, NFC. */
    email: text('email').notNull(),
    name: text('name'),
    role: text('role', { enum: ['viewer', 'operator', 'owner'] }).notNull(),
    /** argon2id in PHC form. Null for members who sign in through a provider only. */
    passwordHash: text('password_hash'),
    ...made(),
    removedAt: integer('removed_at'),
    ...revised(),
  },
  (t) => [uniqueIndex('members_email').on(t.email).where(sql`removed_at is null`)],
);

/**
 * One-time links to set a password, one per member: a newer link replaces the older one. A link is deleted when it is
 * used, when the member is removed, or when the password is set in another way.
 */
export const invitations = sqliteTable(
  'invitations',
  {
    memberId: text('member_id').$type<MemberId>().primaryKey(),
    /** SHA-256 of the token, base64url. */
    tokenHash: text('token_hash').notNull(),
    ...made(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [uniqueIndex('invitations_token').on(t.tokenHash)],
);

/** Second factors of members: time-based one-time passwords (RFC 6238). */
export const secondFactors = sqliteTable('second_factors', {
  memberId: text('member_id').$type<MemberId>().primaryKey(),
  /** AES-256-GCM under a key derived from `AUTH_SECRET`. */
  secret: text('secret').notNull(),
  createdAt: integer('created_at').notNull(),
  /**
   * Time of the first valid code, which proves that the app has the secret. Null until then; sign-in asks for a code
   * only after it.
   */
  confirmedAt: integer('confirmed_at'),
  /** Time step of the newest accepted code. Codes of this step or earlier are rejected. */
  lastStep: integer('last_step').notNull(),
});

/** SHA-256 of the remaining recovery codes. A used code is deleted. */
export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    memberId: text('member_id').$type<MemberId>().notNull(),
    codeHash: text('code_hash').notNull(),
  },
  (t) => [primaryKey({ columns: [t.memberId, t.codeHash] })],
);

/** Data that a member's removal deleted, kept for its undo. */
export const keptMembers = sqliteTable(
  'kept_members',
  {
    /** Revision of the removal. */
    revision: integer('revision').primaryKey(),
    /** JSON: hashes of password, recovery codes and invitation, sign-in accounts, the encrypted second factor. */
    value: text('value').notNull(),
    until: integer('until').notNull(),
  },
  (t) => [index('kept_members_until').on(t.until)],
);

/**
 * Origin of a session, or the step that failed. `code` means that the password was right and the second-factor code was
 * wrong.
 */
const SIGN_IN_METHODS = ['password', 'code', 'invitation', 'github', 'oidc'] as const;

/** A signed-in browser. The cookie contains the id; the row decides. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    memberId: text('member_id').$type<MemberId>().notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    address: text('address'),
    userAgent: text('user_agent'),
    /** Origin of the session. Null if the session is older than this column; a password may have begun it. */
    method: text('method', { enum: SIGN_IN_METHODS }),
    /** Written at most once in five minutes. Null until the first time. */
    lastSeenAt: integer('last_seen_at'),
  },
  (t) => [index('sessions_member').on(t.memberId), index('sessions_expires').on(t.expiresAt)],
);

/** Provider accounts by which members sign in, bound at the first sign-in (OpenID Connect Core 1.0, section 5.7). */
export const providerAccounts = sqliteTable(
  'provider_accounts',
  {
    /** The `iss` claim. `https://github.com` for GitHub. */
    issuer: text('issuer').notNull(),
    /** The `sub` claim. The numeric id for GitHub. */
    subject: text('subject').notNull(),
    memberId: text('member_id').$type<MemberId>().notNull(),
    boundAt: integer('bound_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.issuer, t.subject] }),
    uniqueIndex('provider_accounts_member').on(t.memberId, t.issuer),
  ],
);

/** Newest sign-ins and failed attempts of each account, outside the audit chain. */
export const signIns = sqliteTable(
  'sign_ins',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** A member, or `nobody` for accounts that do not exist, whose attempts take the same work. */
    memberId: text('member_id').$type<MemberId>().notNull(),
    outcome: text('outcome', { enum: ['in', 'failed'] }).notNull(),
    at: integer('at').notNull(),
    /** Canonical address. Null if there is no trustworthy source. */
    address: text('address'),
    method: text('method', { enum: SIGN_IN_METHODS }).notNull(),
  },
  (t) => [index('sign_ins_member').on(t.memberId, t.outcome, t.id), index('sign_ins_at').on(t.at)],
);

/** Last use of each credential. Written after the requests and outside the audit chain. */
export const lastUses = sqliteTable('last_uses', {
  /** `decision_api`, `token:<id>`, `api_key:<id>`, `override:<id>`, `allowlist:<id>`, `member:<id>`. */
  subject: text('subject').primaryKey(),
  at: integer('at').notNull(),
});

/** Answers to POST requests with an `Idempotency-Key`, kept for 24 hours. */
export const idempotency = sqliteTable(
  'idempotency',
  {
    /** SHA-256 over caller, method, path and key. */
    id: text('id').primaryKey(),
    requestHash: text('request_hash').notNull(),
    status: integer('status').notNull(),
    /** JSON array of [name, value]. */
    headers: text('headers').notNull(),
    body: text('body').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('idempotency_expires').on(t.expiresAt)],
);

/** Newest refusals and bypasses, one row each. */
export const decisions = sqliteTable(
  'decisions',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    at: integer('at').notNull(),
    outcome: text('outcome', { enum: ['refused', 'bypassed', 'degraded', 'observed'] }).notNull(),
    /** Empty if only named limits decided. */
    class: text('class', { enum: ['auth', 'sensitive', 'read', 'write', 'lab', ''] }).notNull(),
    /** Error code of a refusal. */
    reason: text('reason'),
    /** Subject that refused or bypassed. */
    subjectType: text('subject_type', { enum: ['ip', 'client', 'user', 'limit', 'quota', 'global'] }),
    identifier: text('identifier'),
    method: text('method'),
    path: text('path'),
    ip: text('ip'),
    userId: text('user_id').$type<UserId>(),
    apiKeyId: text('api_key_id').$type<ApiKeyId>(),
    requestId: text('request_id'),
    /** Limit of the refusing subject, and its usage before the request. */
    limit: integer('limit'),
    windowSeconds: integer('window_seconds'),
    used: integer('used'),
    cost: integer('cost'),
    /** Wait in seconds. */
    retryAfter: integer('retry_after'),
    /** Unix seconds. */
    reset: integer('reset'),
    /** Source of the limit or the bypass. */
    source: text('source', {
      enum: ['policy', 'override', 'client', 'tier', 'limit', 'key', 'allowlist', 'throttle', 'incident'],
    }),
    /** Id of the override or the allowlist entry, the client type, or the tier. */
    sourceId: text('source_id'),
    /** Decisions that the row stands for: in a flood, those of one second that are alike. */
    count: integer('count').notNull().default(1),
    /** The named limit that refused. */
    limitName: text('limit_name'),
  },
  (t) => [
    index('decisions_at').on(t.at),
    index('decisions_identifier').on(t.identifier, t.id),
    index('decisions_class').on(t.class, t.id),
    index('decisions_ip').on(t.ip, t.id),
    index('decisions_user').on(t.userId, t.id),
    index('decisions_api_key').on(t.apiKeyId, t.id),
    index('decisions_request').on(t.requestId),
    // Covers every column that the list of callers reads.
    index('decisions_callers').on(t.subjectType, t.identifier, t.class, t.outcome, t.at, t.count),
  ],
);

/** Decisions counted per step. `step` is its length in seconds: 60, 3600 or 86400. */
export const rollups = sqliteTable(
  'rollups',
  {
    step: integer('step').notNull(),
    start: integer('start').notNull(),
    class: text('class').notNull(),
    /** `allowed`, `refused`, `bypassed`, `degraded` or `observed`. */
    outcome: text('outcome').notNull(),
    /** Error code of a refusal, else empty. */
    reason: text('reason').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.step, t.start, t.class, t.outcome, t.reason] })],
);

/** Decisions and units of each named limit, counted per step as in `rollups`. */
export const limitCounts = sqliteTable(
  'limit_counts',
  {
    step: integer('step').notNull(),
    start: integer('start').notNull(),
    /** Empty for decisions by named limits alone, and for settlements. */
    class: text('class').notNull(),
    limitName: text('limit_name').notNull(),
    allowed: integer('allowed').notNull(),
    /** Refusals of which this limit was the first. */
    refused: integer('refused').notNull(),
    degraded: integer('degraded').notNull(),
    observed: integer('observed').notNull(),
    /** Units of decisions that counted. */
    units: integer('units').notNull(),
    refusedUnits: integer('refused_units').notNull(),
    /** Part of `units` that could be settled afterwards. */
    reserved: integer('reserved').notNull(),
    /** Units that settlements and refunds replaced. */
    settled: integer('settled').notNull(),
    /** Units that were used in their place. */
    settledUsed: integer('settled_used').notNull(),
  },
  (t) => [primaryKey({ columns: [t.step, t.start, t.class, t.limitName] })],
);

/** Refusals counted per identifier and step, for the most refused identifiers only. */
export const refusedIdentifiers = sqliteTable(
  'refused_identifiers',
  {
    step: integer('step').notNull(),
    start: integer('start').notNull(),
    type: text('type').notNull(),
    identifier: text('identifier').notNull(),
    class: text('class').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.step, t.start, t.type, t.identifier, t.class] })],
);

/**
 * Requests of each API key per day (UTC), for its chart and its forecast. `WITHOUT ROWID`, so that a key's days are
 * adjacent.
 */
export const keyDays = sqliteTable(
  'key_days',
  {
    apiKeyId: text('api_key_id').$type<ApiKeyId>().notNull(),
    /** Start of the day. */
    day: integer('day').notNull(),
    allowed: integer('allowed').notNull(),
    refused: integer('refused').notNull(),
  },
  (t) => [primaryKey({ columns: [t.apiKeyId, t.day] })],
);

/** Origins and paths of each API key's requests, per hour, for the last day. */
export const keyOrigins = sqliteTable(
  'key_origins',
  {
    apiKeyId: text('api_key_id').$type<ApiKeyId>().notNull(),
    /** Start of the hour. */
    hour: integer('hour').notNull(),
    kind: text('kind', { enum: ['ip', 'path', 'limit'] }).notNull(),
    /** An address, or the first two segments of a path. Empty for the sum of all that are not counted individually. */
    origin: text('origin').notNull(),
    allowed: integer('allowed').notNull(),
    refused: integer('refused').notNull(),
  },
  (t) => [primaryKey({ columns: [t.apiKeyId, t.hour, t.kind, t.origin] }), index('key_origins_hour').on(t.hour)],
);

/**
 * Lowest and highest address that used each override and allowlist entry for a range of addresses, per day (UTC).
 * Hexadecimal digits, which sort like the addresses: 8 for IPv4; 16 for IPv6, which is counted by its /64. The table's
 * name is from when it held overrides only. WITHOUT ROWID.
 */
export const rangeAddresses = sqliteTable(
  'override_addresses',
  {
    /** Id of the override or allowlist entry. */
    exception: text('override').notNull(),
    /** Start of the day. */
    day: integer('day').notNull(),
    lowest: text('lowest').notNull(),
    highest: text('highest').notNull(),
  },
  (t) => [primaryKey({ columns: [t.exception, t.day] })],
);

/**
 * Decisions of candidate limits that differ from the limits they shadow, per identifier. The empty identifier is the
 * total. WITHOUT ROWID.
 */
export const candidateCounts = sqliteTable(
  'candidate_counts',
  {
    /** Id of the candidate. */
    candidate: text('candidate').notNull(),
    identifier: text('identifier').notNull(),
    /** Requests that it judged. */
    requests: integer('requests').notNull(),
    /** Allowed requests that it would have refused, and refused ones that it would have allowed. */
    wouldRefuse: integer('would_refuse').notNull(),
    wouldAllow: integer('would_allow').notNull(),
    /**
     * Times of the first and the last request that it would have decided differently. For the total, of all requests.
     */
    firstAt: integer('first_at').notNull(),
    lastAt: integer('last_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.candidate, t.identifier] })],
);

/**
 * Demand per identifier and minute, allowed or not, which a dry run replays. It holds the busiest identifiers of each
 * minute, for the last hours only. WITHOUT ROWID. `p0` to `p5` are the requests, by cost, in each ten seconds of the
 * minute.
 */
export const demand = sqliteTable(
  'demand',
  {
    /** Start of the minute. */
    start: integer('start').notNull(),
    subject: text('subject', { enum: ['ip', 'user', 'client', 'limit'] }).notNull(),
    /** An endpoint class, or the name of a limit. `all` for clients. */
    class: text('class').notNull(),
    /**
     * Counted form of the identifier: the /64 of an IPv6 address. Empty for the sum of all that are not tracked
     * individually.
     */
    identifier: text('identifier').notNull(),
    p0: integer('p0').notNull(),
    p1: integer('p1').notNull(),
    p2: integer('p2').notNull(),
    p3: integer('p3').notNull(),
    p4: integer('p4').notNull(),
    p5: integer('p5').notNull(),
    /** Refused part, by cost. Null in rows of versions that did not count it. */
    refused: integer('refused'),
    /** Largest share of the limit that was used, in percent. Null in rows of versions that did not measure it. */
    peak: integer('peak'),
  },
  (t) => [primaryKey({ columns: [t.start, t.subject, t.class, t.identifier] })],
);
