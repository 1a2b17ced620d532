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

/**
 * A registered name or an IPv4 address of unreserved characters, or an IPv6 address in brackets, and a port (RFC 9110
 * section 7.2, RFC 3986 section 3.2.2). Narrower than the RFC on purpose: percent-encoding, sub-delimiters (a comma is
 * two of them), IPvFuture and zones stand in no host that a client sends, and parsers read them differently.
 */
const HOST = /^(?:[a-z0-9._~-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{0,5})?$/i;

let lastAccepted = '';

/**
 * Whether the value of a `Host` or `X-Forwarded-Host` header is one host, with or without a port.
 * @param {string} value
 * @returns {boolean}
 */
export function isHost(value) {
  // Most requests name the host of the one before.
  if (value === lastAccepted) return true;
  if (!HOST.test(value) || !URL.canParse(`http://${value}`)) return false;
  lastAccepted = value;
  return true;
}
