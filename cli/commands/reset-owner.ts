import { defineCommand, isOn } from '@/cli/command';
import { runServer } from '@/cli/run-server';

export const resetOwner = defineCommand({
  name: 'reset-owner',
  summary: 'Let an owner who lost the password set a new one',
  description:
    'For whoever runs the server, on its machine, as its user and with its environment (DATABASE_URL above all); the server may run. Prints a one-time link that works for an hour. The password before stops working, and all sessions of the owner end.',
  arguments: [{ name: 'EMAIL', description: 'Of the owner; may be left out where there is only one.', optional: true }],
  options: [{ flag: 'second-factor', description: 'Take the second factor away, too.' }],
  examples: ['sluice reset-owner', 'sluice reset-owner ada@example.com --second-factor'],
  run: (_context, input) =>
    runServer([
      '--reset-owner',
      ...(isOn(input, 'second-factor') ? ['--second-factor'] : []),
      ...(input.arguments.EMAIL === undefined ? [] : [input.arguments.EMAIL]),
    ]),
});
