import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/* Alerts and their messages. Times are milliseconds since the Unix epoch, in UTC. An alert, its events and their
   deliveries are written in one transaction. If two instances write the same alert, the unique indexes make the
   second fail with nothing written. */

/** Alerts, open until they are resolved. */
export const alerts = sqliteTable(
  'alerts',
  {
    id: text('id').primaryKey(),
    /** Type of the alert: `quota.threshold`, ... */
    event: text('event').notNull(),
    /** Subject of the alert: `api_key:<id>`, `ip:203.0.113.7`, `allowlist:<id>`, `counter_store`. */
    subject: text('subject').notNull(),
    /** Period with at most one alert: `2026-11 80%`. Null if every recurrence is a new alert. */
    period: text('period'),
    /** JSON, as in its events. */
    data: text('data').notNull(),
    openedAt: integer('opened_at').notNull(),
    /**
     * Time at which an instance last saw the condition. Updated only for conditions that each instance checks itself.
     */
    seenAt: integer('seen_at').notNull(),
    resolvedAt: integer('resolved_at'),
    /** Reason for the resolution, in a sentence. */
    resolution: text('resolution'),
    /** When and by whom it was acknowledged. Null if it is not. */
    acknowledgedAt: integer('acknowledged_at'),
    acknowledgedBy: text('acknowledged_by'),
    /** Time until which it is hidden. Null if it is not. */
    snoozedUntil: integer('snoozed_until'),
  },
  (t) => [
    uniqueIndex('alerts_once').on(t.event, t.subject, t.period),
    uniqueIndex('alerts_one_open').on(t.event, t.subject).where(sql`period is null and resolved_at is null`),
    index('alerts_opened').on(t.openedAt, t.id),
    index('alerts_open').on(t.event).where(sql`resolved_at is null`),
  ],
);

/** Events of alerts, as they are sent. */
export const alertEvents = sqliteTable(
  'alert_events',
  {
    /** `webhook-id` of its messages. */
    id: text('id').primaryKey(),
    /** Id of the alert. Null for a test event. */
    alert: text('alert'),
    /** Type of the event: `quota.threshold`, `quota.threshold.resolved`, ..., `webhook.test`. */
    type: text('type').notNull(),
    at: integer('at').notNull(),
    /** JSON. */
    data: text('data').notNull(),
  },
  (t) => [uniqueIndex('alert_events_once').on(t.alert, t.type), index('alert_events_at').on(t.at)],
);

/** Receivers of events. */
export const webhooks = sqliteTable(
  'webhooks',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** Visible part of its URL. The path of a chat webhook is a credential. */
    shownUrl: text('shown_url').notNull(),
    /** AES-256-GCM under a key derived from `AUTH_SECRET`. The secrets are encrypted the same way. */
    url: text('url').notNull(),
    format: text('format', { enum: ['standard', 'slack', 'discord', 'email'] }).notNull(),
    /** JSON array of events. Empty means all. */
    events: text('events').notNull(),
    enabled: integer('enabled', { mode: 'boolean' }).notNull(),
    /** When its receiver answered 410 and Sluice disabled it. Null if it is enabled, or a person disabled it. */
    goneAt: integer('gone_at'),
    /** Signing secret. Null for formats that are not signed. */
    secret: text('secret'),
    previousSecret: text('previous_secret'),
    /** End of the time in which the secret before the last rotation also signs. */
    previousSecretUntil: integer('previous_secret_until'),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    removedAt: integer('removed_at'),
    revision: integer('revision').notNull(),
  },
  (t) => [uniqueIndex('webhooks_name').on(t.name).where(sql`removed_at is null`)],
);

/** Deliveries of an event to one receiver. Those of one subject are sent in sequence. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    /** Order in which the events happened. */
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    /** Id of a webhook. */
    channel: text('channel').notNull(),
    event: text('event').notNull(),
    /** Subject of the alert. */
    subject: text('subject').notNull(),
    state: text('state', { enum: ['pending', 'delivered', 'failed'] }).notNull(),
    createdAt: integer('created_at').notNull(),
    /** Attempts of this round. A replay starts another round. */
    attempts: integer('attempts').notNull(),
    nextAt: integer('next_at').notNull(),
    /** Instance that is sending it. No other may send it before `lease_until`. */
    lease: text('lease'),
    leaseUntil: integer('lease_until').notNull(),
    /** JSON: the newest attempts, oldest first. */
    log: text('log').notNull(),
  },
  (t) => [
    uniqueIndex('deliveries_once').on(t.channel, t.event),
    index('deliveries_due').on(t.channel, t.nextAt).where(sql`state = 'pending'`),
    index('deliveries_order').on(t.channel, t.subject, t.seq).where(sql`state = 'pending'`),
    index('deliveries_created').on(t.createdAt),
  ],
);
