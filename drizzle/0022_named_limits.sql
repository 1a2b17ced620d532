ALTER TABLE `api_keys` ADD `limits` text;--> statement-breakpoint
ALTER TABLE `decisions` ADD `limit_name` text;