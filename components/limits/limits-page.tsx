'use client';

import dynamic from 'next/dynamic';
import { ListTabs, useListTab } from '@/components/list/list-tabs';
import { PageHeader } from '@/components/shell/page-header';
import { Skeleton } from '@/components/ui/skeleton';

const PoliciesTab = dynamic(() => import('@/components/limits/policy-form').then((file) => file.PoliciesTab), {
  ssr: false,
  loading: () => <Skeleton className="h-80 rounded-lg" />,
});
const RouteRulesSection = dynamic(
  () => import('@/components/limits/route-rules-section').then((file) => file.RouteRulesSection),
  { ssr: false, loading: () => <Skeleton className="h-80 rounded-lg" /> },
);

const TABS = ['policies', 'routes'] as const;

export function LimitsPage() {
  const [tab, setTab] = useListTab(TABS);
  return (
    <>
      <PageHeader
        needs="owner"
        title="Limits"
        description="Limits per class and subject. Changes apply to the next request."
      />
      <ListTabs
        label="Limits"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'policies', label: 'Policies' },
          { value: 'routes', label: 'Route rules' },
        ]}
      />
      {tab === 'policies' ? <PoliciesTab /> : <RouteRulesSection />}
    </>
  );
}
