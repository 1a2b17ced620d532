/** Path of the worker script that fetches a JWKS for the token workbench. */
export const KEYS_WORKER_PATH = '/oauth/token/keys-worker';

/**
 * Content security policy of that worker: it may reach HTTPS anywhere, and plain HTTP on this machine.
 * A worker has the policy of its script (CSP Level 3 section 4.2.2). It receives only an address. The page holds the
 * token, and may reach no other origin.
 */
export const KEYS_WORKER_POLICY = "default-src 'none'; connect-src 'self' https: http://localhost:* http://127.0.0.1:*";
