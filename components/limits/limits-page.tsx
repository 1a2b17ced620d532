'use client';

import dynamic from 'next/dynamic';
import { HistoryLink } from '@/components/links/history-link';
import { ListTabs, nameListTab, TabSkeleton, useListTab } from '@/components/list/list-tabs';
import { PageHeader } from '@/components/shell/page-header';
import { PageTitle } from '@/components/shell/page-title';

const Policies = dynamic(() => import('@/components/limits/policy-form'), { ssr: false, loading: TabSkeleton });
const Candidates = dynamic(() => import('@/components/candidates/candidates-tab'), {
  ssr: false,
  loading: TabSkeleton,
});
const RouteRules = dynamic(() => import('@/components/limits/route-rules-tab'), { ssr: false, loading: TabSkeleton });

const TABS = [
  { value: 'policies', label: 'Limits' },
  { value: 'routes', label: 'Route rules' },
  { value: 'candidates', label: 'Candidates' },
] as const;

const CONTENT = { policies: Policies, routes: RouteRules, candidates: Candidates };

const ACTIONS = {
  policies: <HistoryLink target="policies" />,
  routes: <HistoryLink target="route-rules" />,
  candidates: null,
};

export function LimitsPage() {
  const [tab, setTab] = useListTab(TABS);
  const Tab = CONTENT[tab];
  return (
    <>
      <PageTitle name={nameListTab(TABS, tab)} />
      <PageHeader
        needs="owner"
        title="Limits"
        description="Limits per class, and named limits for anything else that is counted. Changes apply from the next request."
        actions={ACTIONS[tab]}
      />
      <ListTabs label="Limits" value={tab} onChange={setTab} tabs={TABS} />
      <Tab />
    </>
  );
}
