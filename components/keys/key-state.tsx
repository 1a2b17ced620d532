import { useNow } from '@/components/format/use-now';
import { Badge } from '@/components/ui/badge';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

/** Share of the quota that is used; a limit of 0 is used up. Null while the counter store is down. */
export function usedShare({ usage, limit }: Pick<ApiKeyWithUsage, 'usage' | 'limit'>): number | null {
  if (usage === null) return null;
  return limit === 0 ? 1 : usage / limit;
}

type KeyState = 'active' | 'near' | 'used up' | 'expired' | 'revoked';

/** The most important fact about a key. `now` in milliseconds. */
export function keyState(key: ApiKeyWithUsage, now: number): KeyState {
  if (key.revoked_at) return 'revoked';
  if (key.expires_at && Date.parse(key.expires_at) <= now) return 'expired';
  const share = usedShare(key) ?? 0;
  return share >= 1 ? 'used up' : share >= 0.8 ? 'near' : 'active';
}

/** Names the state of a key, unless it is active. */
export function KeyStateBadge({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const now = useNow();
  switch (now === null ? 'active' : keyState(apiKey, now)) {
    case 'active':
      return null;
    case 'near':
      return <Badge variant="warning">over 80 %</Badge>;
    case 'used up':
      return <Badge variant="destructive">{apiKey.overage_allowed ? 'in overage' : 'used up'}</Badge>;
    case 'expired':
      return <Badge variant="destructive">expired</Badge>;
    case 'revoked':
      return <Badge>revoked</Badge>;
  }
}
