import type { ApiKeyWithUsage } from '@/lib/contract/keys';

/** Share of the quota that is used; a limit of nothing is used up. Null while the counters are out of reach. */
export function usedShare({ usage, limit }: Pick<ApiKeyWithUsage, 'usage' | 'limit'>): number | null {
  if (usage === null) return null;
  return limit === 0 ? 1 : usage / limit;
}

export type KeyState = 'active' | 'near' | 'used up' | 'expired' | 'revoked';

/** What a person should know first about a key. `now` in milliseconds. */
export function keyState(key: ApiKeyWithUsage, now: number): KeyState {
  if (key.revoked_at) return 'revoked';
  if (key.expires_at && Date.parse(key.expires_at) <= now) return 'expired';
  const share = usedShare(key) ?? 0;
  return share >= 1 ? 'used up' : share >= 0.8 ? 'near' : 'active';
}
