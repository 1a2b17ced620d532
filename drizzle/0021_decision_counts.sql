DROP INDEX `decisions_callers`;--> statement-breakpoint
ALTER TABLE `decisions` ADD `count` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `decisions_callers` ON `decisions` (`subject_type`,`identifier`,`class`,`outcome`,`at`,`count`);