import { defineCommand, ENV_FILE } from '@/cli/command';

export const backup = defineCommand({
  name: 'backup',
  summary: 'Copy everything to a file, while the server runs',
  description:
    'One SQLite file with the rules, keys, audit log, statistics and all counters, also those in Redis. It is verified before it takes its name, and readable by its owner only. Works on the stores themselves, with the settings of the server; a server in use goes on undisturbed.',
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
  summary: 'Put a backup in the place of the database',
  description:
    'Verifies the backup first, and refuses while a server has the database open. What is there stays under another name. Without the AUTH_SECRET that the backup was used with it refuses too, because no server would start. The counters go to the store that the server is configured with.',
  arguments: [{ name: 'file', description: 'A backup, or a copy of a database that was not in use.' }],
  options: [
    { flag: 'replace', description: 'Also where there is a database; it is set aside.' },
    { flag: 'new-secret', description: 'Also without the AUTH_SECRET of the backup, which nobody has any more.' },
    { flag: 'check', description: 'Only verify the backup, and whether its secret is here.' },
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
