'use client';

import { CHANGES } from '@/components/audit-log/audit-list';
import { ChainBadge } from '@/components/audit-log/chain-badge';
import { ResourceList } from '@/components/list/resource-list';
import { PageHeader } from '@/components/shell/page-header';

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

const LIST: typeof CHANGES = {
  ...CHANGES,
  search: { label: 'Who: e-mail or token name', query: (actor) => ({ actor }) },
  facets: [
    {
      name: 'action',
      label: 'Action',
      options: RESOURCES.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
    },
  ],
  exported: true,
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
      <ResourceList declaration={LIST} />
    </>
  );
}
