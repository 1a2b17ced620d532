ALTER TABLE `decisions` ADD `limit` integer;--> statement-breakpoint
ALTER TABLE `decisions` ADD `window_seconds` integer;--> statement-breakpoint
ALTER TABLE `decisions` ADD `used` integer;--> statement-breakpoint
ALTER TABLE `decisions` ADD `cost` integer;--> statement-breakpoint
ALTER TABLE `decisions` ADD `retry_after` integer;--> statement-breakpoint
ALTER TABLE `decisions` ADD `reset` integer;--> statement-breakpoint
ALTER TABLE `decisions` ADD `source` text;--> statement-breakpoint
ALTER TABLE `decisions` ADD `source_id` text;--> statement-breakpoint
CREATE INDEX `decisions_ip` ON `decisions` (`ip`,`id`);--> statement-breakpoint
CREATE INDEX `decisions_user` ON `decisions` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `decisions_api_key` ON `decisions` (`api_key_id`,`id`);--> statement-breakpoint
CREATE INDEX `decisions_request` ON `decisions` (`request_id`);--> statement-breakpoint
CREATE INDEX `decisions_callers` ON `decisions` (`subject_type`,`identifier`,`class`,`outcome`,`at`);