import { Link2, Link2Off } from 'lucide-react';
import { useCall } from '@/components/api/use-call';
import { Badge } from '@/components/ui/badge';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover';
import { Skeleton } from '@/components/ui/skeleton';
import { verifyAuditLog } from '@/lib/contract/audit-log';
import { formatCount } from '@/lib/format-number';

/** Shows whether the hash chain is intact. The server verifies every record. */
export function ChainBadge() {
  const { data: answer, isError } = useCall(['audit', 'verify'], verifyAuditLog, {}, { staleTime: 60_000 });
  const data = answer?.value;
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
    <Popover>
      <PopoverTrigger className="flex h-8 items-center rounded-sm">
        <Badge variant="success">
          <Link2 aria-hidden /> chain verified, {formatCount(data.records, 'record')}
        </Badge>
      </PopoverTrigger>
      <PopoverContent align="end" aria-label="What that means" className="p-3 text-sm text-muted-foreground">
        Every record is linked to the hash of the previous one, and none was altered.
      </PopoverContent>
    </Popover>
  );
}
