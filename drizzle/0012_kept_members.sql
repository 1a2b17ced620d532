CREATE TABLE `kept_members` (
	`revision` integer PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `kept_members_until` ON `kept_members` (`until`);--> statement-breakpoint
ALTER TABLE `demand` ADD `refused` integer;