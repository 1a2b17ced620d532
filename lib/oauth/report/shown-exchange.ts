import type { ReportFinding } from '@/lib/oauth/report/report';

type ShownExchange = ReportFinding['exchanges'][number];

/** Characters of a message that reports for people show by default. */
const SHOWN = 4_000;

const formatMessage = (first: string, headers: [string, string][], body: string, longest: number): string => {
  const whole = `${[first, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n')}\n\n${body}`.trim();
  const length = Math.floor(longest);
  return whole.length > length ? `${whole.slice(0, length)}\n[cut after ${length} characters]` : whole;
};

/** Formats a request roughly as it was sent (RFC 9112). */
export const formatRequest = ({ request: { method, url, headers, body } }: ShownExchange, longest = SHOWN): string =>
  formatMessage(`${method} ${url}`, headers, body, longest);

export const formatResponse = ({ response: { status, headers, body } }: ShownExchange, longest = SHOWN): string =>
  formatMessage(`HTTP ${status}`, headers, body, longest);
