CREATE TABLE `override_addresses` (
	`override` text NOT NULL,
	`day` integer NOT NULL,
	`lowest` text NOT NULL,
	`highest` text NOT NULL,
	PRIMARY KEY(`override`, `day`)
) WITHOUT ROWID;
