CREATE TABLE `counter_months` (
	`key` text NOT NULL,
	`month` integer NOT NULL,
	`hits` integer NOT NULL,
	`floor` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`key`, `month`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `counter_windows` (
	`key` text PRIMARY KEY NOT NULL,
	`expires` integer NOT NULL,
	`slots` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `lab_keys` (
	`use` text PRIMARY KEY NOT NULL,
	`kid` text NOT NULL,
	`jwk` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `lab_revocations` (
	`id` text NOT NULL,
	`control` text NOT NULL,
	`until` integer NOT NULL,
	PRIMARY KEY(`id`, `control`)
);
--> statement-breakpoint
CREATE INDEX `lab_revocations_until` ON `lab_revocations` (`until`);--> statement-breakpoint
CREATE TABLE `lab_tickets` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`hash` text NOT NULL,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`mark` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `lab_tickets_hash` ON `lab_tickets` (`kind`,`hash`);--> statement-breakpoint
CREATE INDEX `lab_tickets_seq` ON `lab_tickets` (`kind`,`seq`);--> statement-breakpoint
CREATE INDEX `lab_tickets_expires` ON `lab_tickets` (`expires_at`);--> statement-breakpoint
CREATE TABLE `admin_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`prefix` text NOT NULL,
	`token_hash` text NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`revoked_at` integer,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `admin_tokens_hash` ON `admin_tokens` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `admin_tokens_name` ON `admin_tokens` (`name`) WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX `admin_tokens_revision` ON `admin_tokens` (`revision`);--> statement-breakpoint
CREATE TABLE `allowlist` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`identifier` text NOT NULL,
	`reason` text NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`removed_at` integer,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `allowlist_present` ON `allowlist` (`type`,`identifier`) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX `allowlist_revision` ON `allowlist` (`revision`);--> statement-breakpoint
CREATE INDEX `allowlist_created` ON `allowlist` (`created_at`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`tier` text NOT NULL,
	`client_type` text NOT NULL,
	`user_id` text,
	`prefix` text NOT NULL,
	`secret_hash` text NOT NULL,
	`previous_secret_hash` text,
	`previous_secret_until` integer,
	`overage_allowed` integer DEFAULT false NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`revoked_at` integer,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_name` ON `api_keys` (`name`) WHERE revoked_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_secret` ON `api_keys` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `api_keys_revision` ON `api_keys` (`revision`);--> statement-breakpoint
CREATE TABLE `audit` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`actor_name` text NOT NULL,
	`action` text NOT NULL,
	`target_type` text NOT NULL,
	`target` text NOT NULL,
	`before` text,
	`after` text,
	`reason` text,
	`request_id` text,
	`address` text,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_actor` ON `audit` (`actor`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_action` ON `audit` (`action`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_target` ON `audit` (`target_type`,`target`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`);--> statement-breakpoint
CREATE TABLE `decisions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`outcome` text NOT NULL,
	`class` text NOT NULL,
	`reason` text,
	`subject_type` text,
	`identifier` text,
	`method` text,
	`path` text,
	`ip` text,
	`user_id` text,
	`api_key_id` text,
	`request_id` text
);
--> statement-breakpoint
CREATE INDEX `decisions_at` ON `decisions` (`at`);--> statement-breakpoint
CREATE INDEX `decisions_identifier` ON `decisions` (`identifier`,`id`);--> statement-breakpoint
CREATE INDEX `decisions_class` ON `decisions` (`class`,`id`);--> statement-breakpoint
CREATE TABLE `idempotency` (
	`id` text PRIMARY KEY NOT NULL,
	`request_hash` text NOT NULL,
	`status` integer NOT NULL,
	`headers` text NOT NULL,
	`body` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotency_expires` ON `idempotency` (`expires_at`);--> statement-breakpoint
CREATE TABLE `key_days` (
	`api_key_id` text NOT NULL,
	`day` integer NOT NULL,
	`allowed` integer NOT NULL,
	`refused` integer NOT NULL,
	PRIMARY KEY(`api_key_id`, `day`)
);
--> statement-breakpoint
CREATE TABLE `last_uses` (
	`subject` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `members` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`name` text,
	`role` text NOT NULL,
	`password_hash` text,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`removed_at` integer,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `members_email` ON `members` (`email`) WHERE removed_at is null;--> statement-breakpoint
CREATE TABLE `overrides` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`identifier` text NOT NULL,
	`class` text NOT NULL,
	`limit` integer NOT NULL,
	`window_seconds` integer NOT NULL,
	`reason` text NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`removed_at` integer,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `overrides_present` ON `overrides` (`type`,`identifier`,`class`) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX `overrides_revision` ON `overrides` (`revision`);--> statement-breakpoint
CREATE TABLE `refused_identifiers` (
	`step` integer NOT NULL,
	`start` integer NOT NULL,
	`type` text NOT NULL,
	`identifier` text NOT NULL,
	`class` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`step`, `start`, `type`, `identifier`, `class`)
);
--> statement-breakpoint
CREATE TABLE `rollups` (
	`step` integer NOT NULL,
	`start` integer NOT NULL,
	`class` text NOT NULL,
	`outcome` text NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`step`, `start`, `class`, `outcome`, `reason`)
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`member_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`address` text,
	`user_agent` text
);
--> statement-breakpoint
CREATE INDEX `sessions_member` ON `sessions` (`member_id`);--> statement-breakpoint
CREATE INDEX `sessions_expires` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	`revision` integer NOT NULL
);
