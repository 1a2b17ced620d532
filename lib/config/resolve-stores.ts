import { formatRestAddress } from '@/lib/counters/redis/rest-endpoint';

interface StoreSettings {
  DATABASE_URL: string;
  DATABASE_AUTH_TOKEN: string | undefined;
  /** A Redis over HTTP is an `https://` address with the token as its password. */
  REDIS_URL: string | undefined;
}

/** Variables of the stores, under our names and under those that the integrations of platforms set. */
type StoreVariables = Partial<
  Record<
    | keyof StoreSettings
    | 'TURSO_DATABASE_URL'
    | 'TURSO_AUTH_TOKEN'
    | 'UPSTASH_REDIS_REST_URL'
    | 'UPSTASH_REDIS_REST_TOKEN'
    | 'KV_REST_API_URL'
    | 'KV_REST_API_TOKEN',
    string | undefined
  >
>;

/**
 * Determines the stores. Our names take precedence, because an integration can set several names for one store. A token
 * is sent only to the server it was set for.
 */
export function resolveStores(variables: StoreVariables): StoreSettings {
  const database = variables.DATABASE_URL ?? variables.TURSO_DATABASE_URL;
  const tursoToken = database === variables.TURSO_DATABASE_URL ? variables.TURSO_AUTH_TOKEN : undefined;
  return {
    DATABASE_URL: database ?? 'file:./data/sluice.db',
    DATABASE_AUTH_TOKEN: variables.DATABASE_AUTH_TOKEN ?? tursoToken,
    REDIS_URL:
      variables.REDIS_URL ??
      combine(variables.UPSTASH_REDIS_REST_URL, variables.UPSTASH_REDIS_REST_TOKEN) ??
      combine(variables.KV_REST_API_URL, variables.KV_REST_API_TOKEN),
  };
}

function combine(url: string | undefined, token: string | undefined): string | undefined {
  return url === undefined || token === undefined ? undefined : formatRestAddress({ url, token });
}
