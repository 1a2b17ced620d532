CREATE TABLE `accepted_findings` (
	`target` text NOT NULL,
	`control` text NOT NULL,
	`reason` text NOT NULL,
	`until` integer,
	`accepted_at` integer NOT NULL,
	`accepted_by` text NOT NULL,
	PRIMARY KEY(`target`, `control`)
);
--> statement-breakpoint
CREATE TABLE `assessment_findings` (
	`assessment` text PRIMARY KEY NOT NULL,
	`findings` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `assessment_visits` (
	`assessment` text NOT NULL,
	`number` integer NOT NULL,
	`asked_at` integer NOT NULL,
	`wanted` text NOT NULL,
	`answer` text,
	PRIMARY KEY(`assessment`, `number`)
);
--> statement-breakpoint
CREATE INDEX `assessment_visits_asked` ON `assessment_visits` (`asked_at`);--> statement-breakpoint
CREATE TABLE `assessments` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`started_at` integer NOT NULL,
	`started_by` text NOT NULL,
	`starter` text NOT NULL,
	`build` text NOT NULL,
	`state` text NOT NULL,
	`alive_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`preflight` text NOT NULL,
	`passed` integer NOT NULL,
	`failed` integer NOT NULL,
	`not_applicable` integer NOT NULL,
	`inconclusive` integer NOT NULL,
	`grade` text
);
--> statement-breakpoint
CREATE INDEX `assessments_started` ON `assessments` (`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `assessments_target` ON `assessments` (`target`,`started_at`);--> statement-breakpoint
CREATE INDEX `assessments_kind` ON `assessments` (`kind`,`started_at`);