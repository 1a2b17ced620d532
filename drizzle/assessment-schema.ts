import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Assessments of OAuth servers. Times are milliseconds since the Unix epoch, in UTC. */
export const assessments = sqliteTable(
  'assessments',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    kind: text('kind', { enum: ['lab', 'server'] }).notNull(),
    /** The issuer, or the URL of the resource. `lab` is the built-in lab. */
    target: text('target').notNull(),
    startedAt: integer('started_at').notNull(),
    /** Name and id of the actor who started it. */
    startedBy: text('started_by').notNull(),
    starter: text('starter').notNull(),
    build: text('build').notNull(),
    state: text('state', { enum: ['running', 'finished', 'stopped'] }).notNull(),
    /**
     * Time of the last update by the running process. An assessment without an update within its lease counts as
     * stopped.
     */
    aliveAt: integer('alive_at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** JSON: result of the set-up check. */
    preflight: text('preflight').notNull(),
    passed: integer('passed').notNull(),
    failed: integer('failed').notNull(),
    notApplicable: integer('not_applicable').notNull(),
    inconclusive: integer('inconclusive').notNull(),
    grade: text('grade', { enum: ['A', 'B', 'C', 'D', 'F'] }),
  },
  (t) => [
    index('assessments_started').on(t.startedAt, t.id),
    index('assessments_target').on(t.target, t.startedAt),
    index('assessments_kind').on(t.kind, t.startedAt),
  ],
);

/** Findings of an assessment with their exchanges: JSON without secrets, compressed with Brotli (RFC 7932). */
export const assessmentFindings = sqliteTable('assessment_findings', {
  assessment: text('assessment').primaryKey(),
  findings: blob('findings', { mode: 'buffer' }).notNull(),
});

/**
 * Visits of a person's browser to the server. `wanted` is the request; `answer` is the URL it came back to, until the
 * assessment reads it. Both are encrypted.
 */
export const assessmentVisits = sqliteTable(
  'assessment_visits',
  {
    assessment: text('assessment').notNull(),
    number: integer('number').notNull(),
    askedAt: integer('asked_at').notNull(),
    wanted: text('wanted').notNull(),
    answer: text('answer'),
  },
  (t) => [primaryKey({ columns: [t.assessment, t.number] }), index('assessment_visits_asked').on(t.askedAt)],
);

/** Failed controls that were accepted for a target. */
export const acceptedFindings = sqliteTable(
  'accepted_findings',
  {
    target: text('target').notNull(),
    control: text('control').notNull(),
    reason: text('reason').notNull(),
    until: integer('until'),
    acceptedAt: integer('accepted_at').notNull(),
    acceptedBy: text('accepted_by').notNull(),
  },
  (t) => [primaryKey({ columns: [t.target, t.control] })],
);
