import { defineCommand, type OptionDefinition, readText } from '@/cli/command';

const FILTER = 'Filters';

/** Filters of `GET /v1/admin/decisions`, as in `decisions list`. */
const FILTERS: readonly OptionDefinition[] = (
  [
    {
      flag: 'class',
      value: 'CLASS',
      description: 'Endpoint class.',
      choices: ['auth', 'sensitive', 'read', 'write', 'lab'],
    },
    {
      flag: 'outcome',
      value: 'OUTCOME',
      description: 'Outcome of the decision.',
      choices: ['refused', 'bypassed', 'degraded', 'observed'],
    },
    { flag: 'reason', value: 'CODE', description: 'Error code of the refusal.' },
    {
      flag: 'subject',
      value: 'SUBJECT',
      description: 'Subject that refused or bypassed.',
      choices: ['ip', 'client', 'user', 'quota', 'global'],
    },
    {
      flag: 'source',
      value: 'SOURCE',
      description: 'Source of the limit.',
      choices: ['policy', 'override', 'client', 'tier', 'allowlist', 'throttle', 'incident'],
    },
    { flag: 'type', value: 'TYPE', description: 'Kind of --identifier: ip, user_id, api_key, client_id.' },
    { flag: 'identifier', value: 'ID', description: 'The address, user, key or client.' },
    { flag: 'method', value: 'METHOD', description: 'HTTP method.' },
    { flag: 'path', value: 'PREFIX', description: 'Prefix of the path.' },
    { flag: 'ip', value: 'ADDRESS', description: 'An address.' },
    { flag: 'user', value: 'USER', description: 'A user.' },
    {
      flag: 'key',
      value: 'KEY',
      description: 'The API key: its id, its name, or the beginning of one that only it has.',
      reference: 'key',
    },
    { flag: 'request-id', value: 'ID', description: 'The X-Request-Id of an answer.' },
    { flag: 'q', value: 'TEXT', description: 'Part of any of them.' },
  ] satisfies OptionDefinition[]
).map((option) => ({ ...option, group: FILTER }));

/** Query parameters whose name differs from the option. */
const PARAMETERS: Readonly<Record<string, string>> = { user: 'user_id', key: 'api_key_id' };

export const tail = defineCommand({
  name: 'decisions tail',
  summary: 'Follow refusals and bypasses as they happen',
  description:
    'Prints one line per decision, about a second after it was made; with --json one JSON object per line. It reconnects after a lost connection and continues with the next decision. Ends with Ctrl-C.',
  operations: ['listDecisions'],
  options: [
    { flag: 'last', short: 'n', value: 'COUNT', description: 'Number of earlier decisions to show first.' },
    ...FILTERS,
  ],
  examples: [
    'sluice decisions tail',
    'sluice decisions tail --outcome refused --class auth -n 20',
    'sluice decisions tail --json | jq -r .ip',
  ],
  async run(context, input) {
    const { followDecisions } = await import('@/cli/decisions/follow');
    const filters = Object.fromEntries(
      FILTERS.map(({ flag }) => [PARAMETERS[flag] ?? flag.replaceAll('-', '_'), readText(input, flag)] as const),
    );
    const { resolveReference } = await import('@/cli/operation/references');
    const key = readText(input, 'key');
    if (key !== undefined) filters.api_key_id = await resolveReference(context, 'key', key);
    return followDecisions(context, filters, readText(input, 'last'));
  },
});
