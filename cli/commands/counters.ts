import { defineCommand, ENV_FILE } from '@/cli/command';

export const moveCounters = defineCommand({
  name: 'counters move',
  summary: 'Move the counters to another store',
  description:
    'Works on the stores directly, with the future settings of the server: to the configured Redis, or without one to the database. Moving counters out of Redis needs SLUICE_FROM_REDIS_URL. Processes with the previous settings stop deciding. Run it again if it was interrupted.',
  options: [
    ENV_FILE,
    { flag: 'overwrite', description: 'Replace the counters of another Sluice installation in that Redis.' },
  ],
  examples: ['REDIS_URL=redis://cache:6379 sluice counters move', 'sluice counters move --env-file /etc/sluice.env'],
  async run(context, input) {
    const { runCounterMove } = await import('@/cli/stores/counters');
    await runCounterMove(context, input);
  },
});

export const adoptCounters = defineCommand({
  name: 'counters adopt',
  summary: 'Use another store, without the previous counters',
  description:
    'Accepts the configured store in its current state, which is usually empty: every quota starts again from zero.',
  options: [ENV_FILE],
  examples: ['sluice counters adopt', 'sluice counters adopt --yes'],
  async run(context, input) {
    const { runCounterAdoption } = await import('@/cli/stores/counters');
    await runCounterAdoption(context, input);
  },
});
