DROP INDEX `overrides_present`;--> statement-breakpoint
ALTER TABLE `overrides` ADD `limit_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `overrides` ADD `numbers` text;--> statement-breakpoint
CREATE UNIQUE INDEX `overrides_present` ON `overrides` (`type`,`identifier`,`class`,`limit_name`) WHERE removed_at is null;