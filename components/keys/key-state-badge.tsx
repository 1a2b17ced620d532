'use client';

import { useNow } from '@/components/format/use-now';
import { keyState } from '@/components/keys/key-state';
import { Badge } from '@/components/ui/badge';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

/** Says what is special about a key; nothing when nothing is. */
export function KeyStateBadge({ row }: { row: ApiKeyWithUsage }) {
  const now = useNow();
  switch (now === null ? 'active' : keyState(row, now)) {
    case 'active':
      return null;
    case 'near':
      return <Badge variant="warning">over 80 %</Badge>;
    case 'used up':
      return <Badge variant="destructive">{row.overage_allowed ? 'in overage' : 'used up'}</Badge>;
    case 'expired':
      return <Badge variant="destructive">expired</Badge>;
    case 'revoked':
      return <Badge>revoked</Badge>;
  }
}
