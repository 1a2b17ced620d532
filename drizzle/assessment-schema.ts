import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

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
    startedBy: text('started_by').notNull(),
    build: text('build').notNull(),
    state: text('state', { enum: ['running', 'finished', 'stopped'] }).notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** JSON: what the set-up check said. */
    preflight: text('preflight').notNull(),
    passed: integer('passed').notNull(),
    failed: integer('failed').notNull(),
    notApplicable: integer('not_applicable').notNull(),
    inconclusive: integer('inconclusive').notNull(),
    grade: text('grade', { enum: ['A', 'B', 'C', 'D', 'F'] }),
  },
  (t) => [index('assessments_started').on(t.startedAt), index('assessments_target').on(t.target, t.startedAt)],
);

/** What was found out about each control. */
export const assessmentFindings = sqliteTable(
  'assessment_findings',
  {
    assessment: text('assessment').notNull(),
    control: text('control').notNull(),
    verdict: text('verdict', { enum: ['passed', 'failed', 'not_applicable', 'inconclusive'] }).notNull(),
    reason: text('reason').notNull(),
    /** JSON, without secrets. */
    exchanges: text('exchanges').notNull(),
  },
  (t) => [primaryKey({ columns: [t.assessment, t.control] })],
);

/** Addresses that a person's browser is sent to, and where it came back to: how codes reach a running assessment. */
export const assessmentVisits = sqliteTable(
  'assessment_visits',
  {
    assessment: text('assessment').notNull(),
    number: integer('number').notNull(),
    url: text('url').notNull(),
    purpose: text('purpose').notNull(),
    answer: text('answer'),
    askedAt: integer('asked_at').notNull(),
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
