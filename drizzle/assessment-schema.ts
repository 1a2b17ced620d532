import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Assessments of OAuth servers. Times are milliseconds since the Unix epoch, in UTC. */
export const assessments = sqliteTable(
  'assessments',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    kind: text('kind', { enum: ['lab', 'server'] }).notNull(),
    /** The issuer, or the URL of the resource; `lab` for the built-in one. */
    target: text('target').notNull(),
    startedAt: integer('started_at').notNull(),
    /** Name and id of the actor who started it. */
    startedBy: text('started_by').notNull(),
    starter: text('starter').notNull(),
    build: text('build').notNull(),
    state: text('state', { enum: ['running', 'finished', 'stopped'] }).notNull(),
    /** When the process that runs it last said so. One that is silent for longer than its lease has stopped. */
    aliveAt: integer('alive_at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** JSON: what the set-up check said. */
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

/** The findings of an assessment with their exchanges: JSON without secrets, Brotli (RFC 7932). */
export const assessmentFindings = sqliteTable('assessment_findings', {
  assessment: text('assessment').primaryKey(),
  findings: blob('findings', { mode: 'buffer' }).notNull(),
});

/**
 * A person's browser is out at the server. `wanted` is what was asked for, `answer` where it came back to, until the
 * assessment reads it; both encrypted.
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

/** Failed controls that a team lives with, at one target. */
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
