import { defineCommand, ENV_FILE } from '@/cli/command';

export const moveCounters = defineCommand({
  name: 'counters move',
  summary: 'Carry the counters to another store',
  description:
    'Works on the stores themselves, with the settings that the server will have: to the Redis in REDIS_URL, or without it to the database. Counters that leave Redis need SLUICE_FROM_REDIS_URL. Processes that run with the former settings stop deciding by it. Run it again when it was interrupted.',
  options: [
    ENV_FILE,
    { flag: 'overwrite', description: 'Replace what another Sluice installation counts in that Redis.' },
  ],
  examples: ['REDIS_URL=redis://cache:6379 sluice counters move', 'sluice counters move --env-file /etc/sluice.env'],
  async run(context, input) {
    const { moveByCommand } = await import('@/cli/stores/counters');
    await moveByCommand(context, input);
  },
});

export const adoptCounters = defineCommand({
  name: 'counters adopt',
  summary: 'Count in another store, without the counters from before',
  description:
    'Accepts the store that the server is configured with as it is, usually empty: every quota starts anew there.',
  options: [ENV_FILE],
  examples: ['sluice counters adopt', 'sluice counters adopt --yes'],
  async run(context, input) {
    const { adoptByCommand } = await import('@/cli/stores/counters');
    await adoptByCommand(context, input);
  },
});
