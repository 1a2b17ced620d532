import { defineCommand, isOn } from '@/cli/command';
import { runServer } from '@/cli/run-server';

export const resetOwner = defineCommand({
  name: 'reset-owner',
  summary: 'Create a link for an owner who lost the password',
  description:
    'Run it on the machine of the server, as its user and with its environment (above all DATABASE_URL). The server may run. It prints a one-time link that is valid for an hour. The old password stops working, and all sessions of the owner end.',
  arguments: [
    { name: 'EMAIL', description: 'E-mail address of the owner; optional if there is only one.', optional: true },
  ],
  options: [{ flag: 'second-factor', description: 'Also remove the second factor.' }],
  examples: ['sluice reset-owner', 'sluice reset-owner ada@example.com --second-factor'],
  run: (_context, input) =>
    runServer([
      '--reset-owner',
      ...(isOn(input, 'second-factor') ? ['--second-factor'] : []),
      ...(input.arguments.EMAIL === undefined ? [] : [input.arguments.EMAIL]),
    ]),
});
