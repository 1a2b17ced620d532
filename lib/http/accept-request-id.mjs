// @ts-check
// Plain JavaScript, because `server.mjs` needs it before anything is compiled.
import { randomUUID } from 'node:crypto';

const ACCEPTABLE = /^[A-Za-z0-9._-]{8,128}$/;

/**
 * The caller's request id when it is safe in a log and a header, else a new one.
 * @param {unknown} given
 * @returns {string}
 */
export function acceptRequestId(given) {
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}
