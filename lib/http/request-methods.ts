/**
 * Methods that Sluice forwards to an upstream, and that a route rule can name.
 * They are those of the IANA registry, common ones first, then others that Node.js parses. `CONNECT` is missing because
 * it would open a tunnel past every limit. `TRACE` is missing because it returns cookies and credentials to scripts
 * that may not read them.
 */
export const FORWARDED_METHODS = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'],
  ...['ACL', 'BASELINE-CONTROL', 'BIND', 'CHECKIN', 'CHECKOUT', 'COPY', 'LABEL', 'LINK', 'LOCK', 'MERGE'],
  ...['MKACTIVITY', 'MKCALENDAR', 'MKCOL', 'MKREDIRECTREF', 'MKWORKSPACE', 'MOVE', 'ORDERPATCH'],
  ...['PROPFIND', 'PROPPATCH', 'REBIND', 'REPORT', 'SEARCH', 'UNBIND', 'UNCHECKOUT', 'UNLINK', 'UNLOCK'],
  ...['UPDATE', 'UPDATEREDIRECTREF', 'VERSION-CONTROL'],
  ...['M-SEARCH', 'NOTIFY', 'PURGE', 'SOURCE', 'SUBSCRIBE', 'UNSUBSCRIBE'],
] as const;
