DROP INDEX `audit_target`;--> statement-breakpoint
CREATE INDEX `audit_target` ON `audit` (`target`,`seq`);