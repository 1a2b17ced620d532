'use client';

import dynamic from 'next/dynamic';
import { HistoryLink } from '@/components/links/history-link';
import { ListTabs, TabSkeleton, useListTab } from '@/components/list/list-tabs';
import { PageHeader } from '@/components/shell/page-header';

const Policies = dynamic(() => import('@/components/limits/policy-form'), { ssr: false, loading: TabSkeleton });
const Candidates = dynamic(() => import('@/components/candidates/candidates-tab'), {
  ssr: false,
  loading: TabSkeleton,
});
const RouteRules = dynamic(() => import('@/components/limits/route-rules-tab'), { ssr: false, loading: TabSkeleton });

const TABS = [
  { value: 'policies', label: 'Policies' },
  { value: 'routes', label: 'Route rules' },
  { value: 'candidates', label: 'Candidates' },
] as const;

export function LimitsPage() {
  const [tab, setTab] = useListTab(TABS);
  return (
    <>
      <PageHeader
        needs="owner"
        title="Limits"
        description="Limits per class and subject. Changes apply from the next request."
        actions={tab === 'candidates' ? null : <HistoryLink target={tab === 'policies' ? 'policies' : 'route-rules'} />}
      />
      <ListTabs label="Limits" value={tab} onChange={setTab} tabs={TABS} />
      {tab === 'policies' ? <Policies /> : tab === 'routes' ? <RouteRules /> : <Candidates />}
    </>
  );
}
