ALTER TABLE `alerts` ADD `acknowledged_at` integer;--> statement-breakpoint
ALTER TABLE `alerts` ADD `acknowledged_by` text;--> statement-breakpoint
ALTER TABLE `alerts` ADD `snoozed_until` integer;