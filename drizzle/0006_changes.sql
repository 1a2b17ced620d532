CREATE TABLE `cleared_counters` (
	`seq` integer NOT NULL,
	`key` text NOT NULL,
	`slot` integer NOT NULL,
	`hits` integer NOT NULL,
	`floor` integer DEFAULT 0 NOT NULL,
	`slots` text,
	`expires` integer NOT NULL,
	`kept_until` integer NOT NULL,
	PRIMARY KEY(`seq`, `key`, `slot`)
);
--> statement-breakpoint
CREATE INDEX `cleared_counters_kept_until` ON `cleared_counters` (`kept_until`);--> statement-breakpoint
CREATE TABLE `grants` (
	`id` text PRIMARY KEY NOT NULL,
	`api_key_id` text NOT NULL,
	`requests` integer NOT NULL,
	`reason` text NOT NULL,
	`until` integer NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`removed_at` integer,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `grants_api_key` ON `grants` (`api_key_id`);--> statement-breakpoint
CREATE INDEX `grants_revision` ON `grants` (`revision`);--> statement-breakpoint
CREATE INDEX `grants_created` ON `grants` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `kept_settings` (
	`revision` integer PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `audit` ADD `undoes` integer;--> statement-breakpoint
CREATE INDEX `audit_undoes` ON `audit` (`undoes`) WHERE undoes is not null;