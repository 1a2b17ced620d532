ALTER TABLE `api_keys` ADD `month_starts_on` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `month_shift` integer DEFAULT 0 NOT NULL;