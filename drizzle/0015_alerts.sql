CREATE TABLE `alert_events` (
	`id` text PRIMARY KEY NOT NULL,
	`alert` text,
	`type` text NOT NULL,
	`at` integer NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alert_events_once` ON `alert_events` (`alert`,`type`);--> statement-breakpoint
CREATE INDEX `alert_events_at` ON `alert_events` (`at`);--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`event` text NOT NULL,
	`subject` text NOT NULL,
	`period` text,
	`data` text NOT NULL,
	`opened_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`resolved_at` integer,
	`resolution` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_once` ON `alerts` (`event`,`subject`,`period`);--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_one_open` ON `alerts` (`event`,`subject`) WHERE period is null and resolved_at is null;--> statement-breakpoint
CREATE INDEX `alerts_opened` ON `alerts` (`opened_at`,`id`);--> statement-breakpoint
CREATE INDEX `alerts_open` ON `alerts` (`event`) WHERE resolved_at is null;--> statement-breakpoint
CREATE TABLE `deliveries` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel` text NOT NULL,
	`event` text NOT NULL,
	`subject` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`attempts` integer NOT NULL,
	`next_at` integer NOT NULL,
	`lease` text,
	`lease_until` integer NOT NULL,
	`log` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_once` ON `deliveries` (`channel`,`event`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`channel`,`next_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_order` ON `deliveries` (`channel`,`subject`,`seq`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_created` ON `deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`shown_url` text NOT NULL,
	`url` text NOT NULL,
	`format` text NOT NULL,
	`events` text NOT NULL,
	`enabled` integer NOT NULL,
	`secret` text,
	`previous_secret` text,
	`previous_secret_until` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`removed_at` integer,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_name` ON `webhooks` (`name`) WHERE removed_at is null;