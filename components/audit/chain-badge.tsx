'use client';

import { useQuery } from '@tanstack/react-query';
import { Link2, Link2Off } from 'lucide-react';
import { callApi } from '@/components/api-client';
import { formatNumber } from '@/components/format/number';
import { Badge } from '@/components/ui/badge';
import { Skeleton } from '@/components/ui/skeleton';
import { Tooltip } from '@/components/ui/tooltip';
import { AuditVerificationSchema } from '@/lib/schemas/audit';

/** Whether the chain of hashes holds, checked by the server record by record. */
export function ChainBadge() {
  const { data, isError } = useQuery({
    queryKey: ['audit', 'verify'],
    queryFn: async ({ signal }) =>
      (await callApi('/v1/admin/audit/verify', { schema: AuditVerificationSchema, signal })).value,
    staleTime: 60_000,
  });
  if (isError) return <Badge variant="outline">chain not checked</Badge>;
  if (!data) return <Skeleton className="h-5 w-28" />;
  if (!data.valid) {
    return (
      <Badge variant="destructive">
        <Link2Off aria-hidden /> record {data.first_invalid?.seq} is {data.first_invalid?.problem}
      </Badge>
    );
  }
  return (
    <Tooltip content="Every record continues the hash of the one before it, and has the content that it was written with.">
      <button type="button" className="rounded-sm">
        <Badge variant="success">
          <Link2 aria-hidden /> chain whole, {formatNumber(data.records)} records
        </Badge>
      </button>
    </Tooltip>
  );
}
