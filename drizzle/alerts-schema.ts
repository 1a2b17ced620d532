import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/*
 * Alerts, and what is sent of them. Times are milliseconds since the Unix epoch, in UTC. An alert, its events and their
 * deliveries are written in one transaction; the unique indexes make the one of two instances that comes second fail
 * with nothing written.
 */

/** Something that somebody should know, until it is resolved. */
export const alerts = sqliteTable(
  'alerts',
  {
    id: text('id').primaryKey(),
    /** `quota.threshold`, ... */
    event: text('event').notNull(),
    /** What it is about: `api_key:<id>`, `ip:203.0.113.7`, `allowlist:<id>`, `counter_store`. */
    subject: text('subject').notNull(),
    /** What it is told once for: `2026-11 80%`. Null: told again whenever it comes back. */
    period: text('period'),
    /** JSON, as its events have it. */
    data: text('data').notNull(),
    openedAt: integer('opened_at').notNull(),
    /** When an instance saw last that it holds; kept up only where that is for each instance to see. */
    seenAt: integer('seen_at').notNull(),
    resolvedAt: integer('resolved_at'),
    /** Why it is resolved, in a sentence. */
    resolution: text('resolution'),
  },
  (t) => [
    uniqueIndex('alerts_once').on(t.event, t.subject, t.period),
    uniqueIndex('alerts_one_open').on(t.event, t.subject).where(sql`period is null and resolved_at is null`),
    index('alerts_opened').on(t.openedAt, t.id),
    index('alerts_open').on(t.event).where(sql`resolved_at is null`),
  ],
);

/** What happened to an alert, as it is sent. */
export const alertEvents = sqliteTable(
  'alert_events',
  {
    /** `webhook-id` of its messages. */
    id: text('id').primaryKey(),
    /** Null for a test. */
    alert: text('alert'),
    /** `quota.threshold`, `quota.threshold.resolved`, ..., `webhook.test`. */
    type: text('type').notNull(),
    at: integer('at').notNull(),
    /** JSON. */
    data: text('data').notNull(),
  },
  (t) => [uniqueIndex('alert_events_once').on(t.alert, t.type), index('alert_events_at').on(t.at)],
);

/** Where events are sent. */
export const webhooks = sqliteTable(
  'webhooks',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** What of its URL may be seen; the path of a chat's webhook is a credential. */
    shownUrl: text('shown_url').notNull(),
    /** AES-256-GCM under a key derived from `AUTH_SECRET`, as the secrets are. */
    url: text('url').notNull(),
    format: text('format', { enum: ['standard', 'slack', 'discord', 'email'] }).notNull(),
    /** JSON array of events; empty: all. */
    events: text('events').notNull(),
    enabled: integer('enabled', { mode: 'boolean' }).notNull(),
    /** Null for formats that are not signed. */
    secret: text('secret'),
    previousSecret: text('previous_secret'),
    /** Until when the secret before the last rotation also signs. */
    previousSecretUntil: integer('previous_secret_until'),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    removedAt: integer('removed_at'),
    revision: integer('revision').notNull(),
  },
  (t) => [uniqueIndex('webhooks_name').on(t.name).where(sql`removed_at is null`)],
);

/** An event on its way to one receiver. Those of one subject are sent in order. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    /** The order in which the events happened. */
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    /** Id of a webhook. */
    channel: text('channel').notNull(),
    event: text('event').notNull(),
    /** That of the alert. */
    subject: text('subject').notNull(),
    state: text('state', { enum: ['pending', 'delivered', 'failed'] }).notNull(),
    createdAt: integer('created_at').notNull(),
    /** Of this round: a replay begins another one. */
    attempts: integer('attempts').notNull(),
    nextAt: integer('next_at').notNull(),
    /** Who is sending it now, and until when nobody else may. */
    lease: text('lease'),
    leaseUntil: integer('lease_until').notNull(),
    /** JSON: the newest attempts, the oldest first. */
    log: text('log').notNull(),
  },
  (t) => [
    uniqueIndex('deliveries_once').on(t.channel, t.event),
    index('deliveries_due').on(t.channel, t.nextAt).where(sql`state = 'pending'`),
    index('deliveries_order').on(t.channel, t.subject, t.seq).where(sql`state = 'pending'`),
    index('deliveries_created').on(t.createdAt),
  ],
);
