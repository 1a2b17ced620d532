CREATE INDEX `api_keys_created` ON `api_keys` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `overrides_created` ON `overrides` (`created_at`,`id`);