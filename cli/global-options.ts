import type { OptionDefinition } from '@/cli/command';

/** Default timeout in seconds. It covers the longest wait of the API. */
export const USUAL_TIMEOUT_S = 30;

/** Options of every command. */
export const GLOBAL_OPTIONS: readonly OptionDefinition[] = [
  { flag: 'url', value: 'URL', description: 'URL of the server. Default: SLUICE_URL, or the server stored by login.' },
  { flag: 'token-stdin', description: 'Read the token from the first line of stdin. Default: SLUICE_TOKEN.' },
  { flag: 'json', description: "Print the API's own JSON; errors are JSON on stderr." },
  { flag: 'yes', short: 'y', description: 'Answer every question with yes.' },
  {
    flag: 'timeout',
    value: 'SECONDS',
    description: `Timeout of a call with its retries. Default: ${USUAL_TIMEOUT_S}.`,
  },
].map((option) => ({ ...option, group: 'Everywhere' }));
