/** Prefix of Envoy's calls. The path of Envoy's client follows it. */
export const ENVOY_PREFIX = '/v1/forward-auth/envoy';

const ENVOY_PATHS = `${ENVOY_PREFIX}/`;
const PATHS: ReadonlySet<string> = new Set([
  '/v1/check',
  '/v1/check/batch',
  '/v1/refund',
  '/v1/settle',
  '/v1/forward-auth',
]);

/** Returns whether a path belongs to the decision API. */
export function isDecisionPath(path: string): boolean {
  return PATHS.has(path) || isEnvoyPath(path);
}

/** Returns whether method and path of a request are those of a gateway's client, because Envoy repeats them. */
export function isEnvoyPath(path: string): boolean {
  return path.startsWith(ENVOY_PATHS);
}
