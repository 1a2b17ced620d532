CREATE TABLE `demand` (
	`start` integer NOT NULL,
	`subject` text NOT NULL,
	`class` text NOT NULL,
	`identifier` text NOT NULL,
	`p0` integer NOT NULL,
	`p1` integer NOT NULL,
	`p2` integer NOT NULL,
	`p3` integer NOT NULL,
	`p4` integer NOT NULL,
	`p5` integer NOT NULL,
	PRIMARY KEY(`start`, `subject`, `class`, `identifier`)
) WITHOUT ROWID;
