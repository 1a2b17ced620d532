-- The days of one key lie side by side, so that the pace of many keys is read without a look-up for each day.
CREATE TABLE `key_days_in_order` (
	`api_key_id` text NOT NULL,
	`day` integer NOT NULL,
	`allowed` integer NOT NULL,
	`refused` integer NOT NULL,
	PRIMARY KEY(`api_key_id`, `day`)
) WITHOUT ROWID;--> statement-breakpoint
INSERT INTO `key_days_in_order` SELECT `api_key_id`, `day`, `allowed`, `refused` FROM `key_days` ORDER BY `api_key_id`, `day`;--> statement-breakpoint
DROP TABLE `key_days`;--> statement-breakpoint
ALTER TABLE `key_days_in_order` RENAME TO `key_days`;
