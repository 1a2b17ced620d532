import { randomUUID } from 'node:crypto';
import type { HeaderReader } from '@/lib/http/request-head';

export const REQUEST_ID_HEADER = 'x-request-id';
const ACCEPTABLE = /^[A-Za-z0-9._-]{8,128}$/;

/** The caller's request id when it is harmless in a log and a header, else a new one. */
export function requestIdOf(headers: HeaderReader): string {
  const given = headers.get(REQUEST_ID_HEADER);
  return given !== null && ACCEPTABLE.test(given) ? given : randomUUID();
}
