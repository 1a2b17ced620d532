CREATE TABLE `counter_refunds` (
	`id` text PRIMARY KEY NOT NULL,
	`call` text,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `counter_refunds_until` ON `counter_refunds` (`until`);