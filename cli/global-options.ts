import type { OptionDefinition } from '@/cli/command';

/** Default timeout in seconds. It covers the longest wait of the API. */
export const USUAL_TIMEOUT_S = 30;

/** Options of every command. */
export const GLOBAL_OPTIONS: readonly OptionDefinition[] = [
  { flag: 'url', value: 'URL', description: 'The server; SLUICE_URL, or what login kept, when absent.' },
  { flag: 'token-stdin', description: 'Read the token from the first line of stdin; SLUICE_TOKEN when absent.' },
  { flag: 'json', description: "Print the API's own JSON; errors are JSON on stderr." },
  { flag: 'yes', short: 'y', description: 'Answer every question with yes.' },
  { flag: 'timeout', value: 'SECONDS', description: `For a call with its retries. Usually ${USUAL_TIMEOUT_S}.` },
].map((option) => ({ ...option, group: 'Everywhere' }));
