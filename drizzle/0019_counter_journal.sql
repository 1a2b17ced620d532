CREATE TABLE `counter_journal` (
	`position` integer PRIMARY KEY NOT NULL,
	`windows` text,
	`months` text,
	`forgotten` text
);
--> statement-breakpoint
CREATE INDEX `counter_journal_forgotten` ON `counter_journal` (`position`) WHERE forgotten is not null;