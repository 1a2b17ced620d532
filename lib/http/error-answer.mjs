// @ts-check
// Plain JavaScript, because `server.mjs` needs it before anything is compiled.
import { STATUS_CODES } from 'node:http';

const PROBLEM = 'application/problem+json';

/**
 * An answer before it becomes a `Response` or goes to a socket. `body` is null where the status has none.
 * @typedef {{ status: number, headers: Record<string, string>, body: string | null }} Answer
 */

/**
 * The part of an `ApiError` that its answer shows.
 * @typedef {object} ErrorFields
 * @property {number} status
 * @property {string} code
 * @property {string} description
 * @property {readonly { path: string, message: string }[]} [details]
 * @property {Readonly<Record<string, string>>} [headers]
 */

/**
 * Header fields of answers that no cache may keep and no browser may read as another type. One literal with one spread:
 * V8 makes a slow dictionary of an object that two are spread into, which costs a decision 8 µs.
 * @param {string} requestId @param {Readonly<Record<string, string>>} [more]
 * @returns {Record<string, string>}
 */
export function uncached(requestId, more) {
  return { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': requestId, ...more };
}

/**
 * The answer of every error: the body `{error, error_description, details?}`, with the members of RFC 9457 beside them
 * when the caller's `Accept` names `application/problem+json`.
 * @param {ErrorFields} error
 * @param {string | null | undefined} accept
 * @param {string} requestId
 * @param {{ 'violated-policies'?: readonly string[] }} extensions what a refusal adds to its problem details
 *   (draft-ietf-httpapi-ratelimit-headers-11, section 5.1)
 * @returns {Answer & { body: string }}
 */
export function errorAnswer({ status, code, description, details, headers }, accept, requestId, extensions = {}) {
  const problem = accept?.toLowerCase().includes(PROBLEM) ?? false;
  // RFC 9110 renamed 413; Node has the name of RFC 7231.
  const title = status === 413 ? 'Content Too Large' : (STATUS_CODES[status] ?? 'Error');
  const body = {
    error: code,
    error_description: description,
    ...(details === undefined ? {} : { details }),
    ...(code === 'internal_error' ? { request_id: requestId } : {}),
    ...(problem ? { type: `urn:sluice:error:${code}`, title, status, detail: description, ...extensions } : {}),
  };
  return {
    status,
    headers: uncached(requestId, {
      'Content-Type': problem ? PROBLEM : 'application/json; charset=utf-8',
      ...headers,
    }),
    body: JSON.stringify(body),
  };
}
