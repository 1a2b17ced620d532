import { useNow } from '@/components/format/use-now';
import { Badge } from '@/components/ui/badge';
import { type ApiKeyWithUsage, keyState } from '@/lib/contract/keys';

export function KeyStateBadge({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const now = useNow();
  switch (now === null ? 'active' : keyState(apiKey, now)) {
    case 'active':
      return null;
    case 'near':
      return <Badge variant="warning">over 80 %</Badge>;
    case 'used_up':
      return <Badge variant="destructive">{apiKey.overage_allowed ? 'in overage' : 'used up'}</Badge>;
    case 'expired':
      return <Badge variant="destructive">expired</Badge>;
    case 'revoked':
      return <Badge>revoked</Badge>;
  }
}
