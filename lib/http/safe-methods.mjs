// @ts-check
// Plain JavaScript, because `server.mjs` needs it before anything is compiled.

/**
 * Methods that change nothing (RFC 9110 section 9.2.1, and the IANA registry of methods).
 * @type {ReadonlySet<string>}
 */
export const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'REPORT', 'SEARCH']);
