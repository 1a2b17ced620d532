'use client';

import { withQuery } from '@/components/api-client';
import { AuditList } from '@/components/audit-log/audit-list';
import { ChainBadge } from '@/components/audit-log/chain-badge';
import { EmptyState } from '@/components/list/empty-state';
import { DownloadMenu } from '@/components/list/export-menu';
import { FilterBar } from '@/components/list/filter-bar';
import { useListState } from '@/components/list/list-state';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';

const LIST = { sort: '', facets: ['action'] } as const;

const FACETS = [
  {
    name: 'action',
    label: 'Action',
    single: true,
    options: [
      'allowlist',
      'api_key',
      'counters',
      'member',
      'override',
      'policies',
      'quota',
      'route_rules',
      'token',
    ].map((value) => ({
      value,
      label: value.replaceAll('_', ' '),
    })),
  },
] as const;

/** Who changed what, when, from where and why. */
export function AuditPage() {
  const state = useListState(LIST);
  const actor = state.search.trim();
  const query = { actor: actor === '' ? undefined : actor, action: state.facets.action[0] };
  return (
    <>
      <PageHeader
        title="Audit"
        description="Every change, with what was there before and after."
        actions={<ChainBadge />}
      />
      <FilterBar state={state} searchLabel="Who: e-mail or token name" facets={FACETS}>
        <DownloadMenu href={(format) => withQuery('/v1/admin/audit', { ...query, format })} />
      </FilterBar>
      <AuditList
        query={query}
        empty={
          state.filtered ? (
            <EmptyState
              title="No change matches"
              action={
                <Button variant="outline" onClick={state.clear}>
                  Clear filters
                </Button>
              }
            />
          ) : undefined
        }
      />
    </>
  );
}
