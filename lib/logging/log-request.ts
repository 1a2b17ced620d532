import type { Logger } from 'pino';
import { withoutTokens } from '@/lib/logging/without-tokens';

/** What is said of one answered request. Nothing in it may be a secret: no query, no header, no body. */
export interface AnsweredRequest {
  requestId: string;
  method: string;
  /** Without query. Tokens in it are taken out before it is written. */
  path: string;
  status: number;
  /** From its arrival to its answer, in milliseconds. */
  duration: number;
  /** The client's address in canonical form. */
  address: string | null;
  /** `token:<id>`, `member:<id>`, ... */
  actor?: string;
  /** Where it was limited: class, outcome and error code. */
  class?: string;
  outcome?: string;
  error?: string;
}

const LONGEST_PATH = 1_024;

/** Writes one line for a request: a fault of ours as an error, everything else as information. */
export function logRequest(logger: Logger, request: AnsweredRequest): void {
  const { path, duration, ...rest } = request;
  const line = {
    ...rest,
    path: withoutTokens(path).slice(0, LONGEST_PATH),
    duration: Math.round(duration * 100) / 100,
  };
  if (request.status >= 500 && request.status !== 503) logger.error(line, 'request');
  else logger.info(line, 'request');
}
