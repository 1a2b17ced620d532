import type { AssessmentReport } from '@/lib/contract/assessments';

type ShownExchange = AssessmentReport['findings'][number]['exchanges'][number];

/** Characters of a message that reports for people show. */
const SHOWN = 4_000;

const message = (first: string, headers: [string, string][], body: string): string => {
  const whole = `${[first, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n')}\n\n${body}`.trim();
  return whole.length > SHOWN ? `${whole.slice(0, SHOWN)}\n[cut after ${SHOWN} characters]` : whole;
};

/** A request as it went over the wire, more or less (RFC 9112). */
export const requestText = ({ request: { method, url, headers, body } }: ShownExchange): string =>
  message(`${method} ${url}`, headers, body);

export const responseText = ({ response: { status, headers, body } }: ShownExchange): string =>
  message(`HTTP ${status}`, headers, body);
