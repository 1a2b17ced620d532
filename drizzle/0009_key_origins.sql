CREATE TABLE `key_origins` (
	`api_key_id` text NOT NULL,
	`hour` integer NOT NULL,
	`kind` text NOT NULL,
	`origin` text NOT NULL,
	`allowed` integer NOT NULL,
	`refused` integer NOT NULL,
	PRIMARY KEY(`api_key_id`, `hour`, `kind`, `origin`)
);
--> statement-breakpoint
CREATE INDEX `key_origins_hour` ON `key_origins` (`hour`);