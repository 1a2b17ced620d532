/** Methods that change nothing (RFC 9110 section 9.2.1, and the IANA registry of methods). */
export const SAFE_METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'REPORT', 'SEARCH'],
]);
