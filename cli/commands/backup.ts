import { defineCommand, ENV_FILE } from '@/cli/command';

export const backup = defineCommand({
  name: 'backup',
  summary: 'Copy everything to a file, while the server runs',
  description:
    'Writes one SQLite file with the rules, keys, audit log, statistics and all counters, including those in Redis. The file is verified before it gets its name, and only its owner can read it. The command works on the stores directly, with the settings of the server, which may run.',
  arguments: [{ name: 'file', description: 'Where to.' }],
  options: [ENV_FILE],
  examples: ['sluice backup sluice-backup.db', 'sluice backup /backups/today.db --yes --env-file /etc/sluice.env'],
  async run(context, input) {
    const { backUp } = await import('@/cli/stores/backup');
    await backUp(context, input);
  },
});

export const restore = defineCommand({
  name: 'restore',
  summary: 'Restore the database from a backup',
  description:
    'Verifies the backup first, and refuses while a server has the database open. An existing database is kept under another name. It also refuses without the AUTH_SECRET of the backup, because no server would start. The counters go to the store that the server is configured with.',
  arguments: [{ name: 'file', description: 'A backup, or a copy of a database that was not in use.' }],
  options: [
    { flag: 'replace', description: 'Replace an existing database; it is set aside.' },
    { flag: 'new-secret', description: "Restore without the backup's AUTH_SECRET, if it is lost." },
    { flag: 'check', description: 'Only verify the backup, and whether its secret is available.' },
    ENV_FILE,
  ],
  examples: [
    'sluice restore sluice-backup.db',
    'sluice restore sluice-backup.db --replace',
    'sluice restore sluice-backup.db --check',
  ],
  async run(context, input) {
    const { restore } = await import('@/cli/stores/backup');
    await restore(context, input);
  },
});
