CREATE TABLE `provider_accounts` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`member_id` text NOT NULL,
	`bound_at` integer NOT NULL,
	PRIMARY KEY(`issuer`, `subject`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `provider_accounts_member` ON `provider_accounts` (`member_id`,`issuer`);--> statement-breakpoint
CREATE TABLE `sign_ins` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`member_id` text NOT NULL,
	`outcome` text NOT NULL,
	`at` integer NOT NULL,
	`address` text,
	`method` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_ins_member` ON `sign_ins` (`member_id`,`outcome`,`id`);--> statement-breakpoint
CREATE INDEX `sign_ins_at` ON `sign_ins` (`at`);