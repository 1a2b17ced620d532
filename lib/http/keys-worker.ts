/** Where the script of the worker is that fetches a JWKS for the token workbench. */
export const KEYS_WORKER_PATH = '/oauth/token/keys-worker';

/**
 * What that worker may do: reach HTTPS anywhere, and plain HTTP on this machine. A worker has the policy of its own
 * script (CSP Level 3 section 4.2.2): it gets nothing but an address, while the page, which has the token, may reach no
 * other origin.
 */
export const KEYS_WORKER_POLICY = "default-src 'none'; connect-src 'self' https: http://localhost:* http://127.0.0.1:*";
