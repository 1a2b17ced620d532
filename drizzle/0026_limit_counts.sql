CREATE TABLE `limit_counts` (
	`step` integer NOT NULL,
	`start` integer NOT NULL,
	`class` text NOT NULL,
	`limit_name` text NOT NULL,
	`allowed` integer NOT NULL,
	`refused` integer NOT NULL,
	`degraded` integer NOT NULL,
	`observed` integer NOT NULL,
	`units` integer NOT NULL,
	`refused_units` integer NOT NULL,
	`reserved` integer NOT NULL,
	`settled` integer NOT NULL,
	`settled_used` integer NOT NULL,
	PRIMARY KEY(`step`, `start`, `class`, `limit_name`)
);
--> statement-breakpoint
ALTER TABLE `demand` ADD `peak` integer;