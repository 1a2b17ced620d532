import { useCall } from '@/components/api/use-call';
import { readLimitUse } from '@/lib/contract/limit-use';

/** Reads the last hour of all limits, or of those of an API key. It changes once a minute. */
export function useLimitUse(apiKeyId?: string) {
  const query = apiKeyId === undefined ? {} : { api_key: apiKeyId };
  return useCall(['limit-use', apiKeyId ?? null], readLimitUse, { query }, { refetchInterval: 20_000 });
}

export type LimitUseQuery = ReturnType<typeof useLimitUse>;
