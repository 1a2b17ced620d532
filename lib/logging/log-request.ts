import type { Logger } from 'pino';
import { withoutTokens } from '@/lib/logging/without-tokens';

/** The log line of an answered request. Nothing in it may be a secret: no query, no header, no body. */
export interface RequestLine {
  requestId: string;
  method: string;
  /** Without query; tokens in it are redacted. */
  path: string;
  status: number;
  /** From the request's arrival to the end of its answer, in milliseconds. */
  duration: number;
  /** The client's address in canonical form. */
  address: string | null;
}

const LONGEST_PATH = 1_024;

/** Logs a request: our own faults (5xx but 503) as errors, everything else as information. */
export function logRequest(logger: Logger, request: RequestLine): void {
  const { path, duration, ...rest } = request;
  const line = {
    ...rest,
    path: withoutTokens(path).slice(0, LONGEST_PATH),
    duration: Math.round(duration * 100) / 100,
  };
  if (request.status >= 500 && request.status !== 503) logger.error(line, 'request');
  else logger.info(line, 'request');
}
