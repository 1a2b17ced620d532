'use client';

import { AuditList } from '@/components/audit-log/audit-list';
import { ChainBadge } from '@/components/audit-log/chain-badge';
import type { ListDefinition } from '@/components/list/use-resource-list';
import { PageHeader } from '@/components/shell/page-header';
import { type AuditRecord, listAudit } from '@/lib/contract/audit-log';

const RESOURCES = [
  'allowlist',
  'api_key',
  'counters',
  'member',
  'override',
  'policies',
  'quota',
  'route_rules',
  'token',
];

const LIST: ListDefinition<AuditRecord> = {
  key: 'audit',
  contract: listAudit,
  label: 'Changes',
  search: { label: 'Who: e-mail or token name', query: (actor) => ({ actor }) },
  facets: [
    {
      name: 'action',
      label: 'Action',
      options: RESOURCES.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
    },
  ],
};

/** Who changed what, when, from where and why. */
export function AuditLogPage() {
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every change, with the values before and after."
        actions={<ChainBadge />}
      />
      <AuditList definition={LIST} />
    </>
  );
}
