'use client';

import { Link2, Link2Off } from 'lucide-react';
import { CHANGES } from '@/components/audit-log/audit-list';
import { countOf } from '@/components/format/number';
import { ResourceList } from '@/components/list/resource-list';
import { PageHeader } from '@/components/shell/page-header';
import { Badge } from '@/components/ui/badge';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover';
import { Skeleton } from '@/components/ui/skeleton';
import { useCall } from '@/components/use-call';
import { verifyAuditLog } from '@/lib/contract/audit-log';

const ACTIONS = ['allowlist', 'api_key', 'counters', 'member', 'override', 'policies', 'quota', 'route_rules', 'token'];

const LIST: typeof CHANGES = {
  ...CHANGES,
  search: { label: 'Who: e-mail or token name', query: (actor) => ({ actor }) },
  facets: [
    {
      name: 'action',
      label: 'Action',
      options: ACTIONS.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
    },
  ],
  exported: true,
};

export function AuditLogPage() {
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every change, with the values before and after."
        actions={<ChainBadge />}
      />
      <ResourceList declaration={LIST} />
    </>
  );
}

/** Whether the chain of hashes holds, checked by the server record by record. */
function ChainBadge() {
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
          <Link2 aria-hidden /> chain verified, {countOf(data.records, 'record')}
        </Badge>
      </PopoverTrigger>
      <PopoverContent align="end" aria-label="What that means" className="p-3 text-sm text-muted-foreground">
        Every record is linked to the hash of the previous one, and none was altered.
      </PopoverContent>
    </Popover>
  );
}
