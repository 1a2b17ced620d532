ALTER TABLE `allowlist` ADD `managed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `managed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `grants` ADD `managed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `overrides` ADD `managed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `settings` ADD `managed` integer DEFAULT false NOT NULL;