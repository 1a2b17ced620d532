CREATE TABLE `counter_clock` (
	`id` integer PRIMARY KEY NOT NULL,
	`now` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `counter_slots` (
	`key` text NOT NULL,
	`slot` integer NOT NULL,
	`hits` integer NOT NULL,
	`floor` integer DEFAULT 0 NOT NULL,
	`expires` integer NOT NULL,
	PRIMARY KEY(`key`, `slot`)
) WITHOUT ROWID;
