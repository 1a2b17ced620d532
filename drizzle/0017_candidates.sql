CREATE TABLE `candidate_counts` (
	`candidate` text NOT NULL,
	`identifier` text NOT NULL,
	`requests` integer NOT NULL,
	`would_refuse` integer NOT NULL,
	`would_allow` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`candidate`, `identifier`)
) WITHOUT ROWID;
