'use client';

import dynamic from 'next/dynamic';
import { PolicyForm } from '@/components/limits/policy-form';
import { usePolicies } from '@/components/limits/use-policies';
import { ListError } from '@/components/list/list-error';
import { ListTabs, useListTab } from '@/components/list/list-tabs';
import { PageHeader } from '@/components/shell/page-header';
import { RoleNote } from '@/components/shell/role-note';
import { Skeleton } from '@/components/ui/skeleton';

const RouteRulesSection = dynamic(
  () => import('@/components/limits/route-rules-section').then((file) => file.RouteRulesSection),
  { ssr: false, loading: () => <Skeleton className="h-80 rounded-lg" /> },
);

const TABS = ['policies', 'routes'] as const;

function Policies() {
  const { data, error, refetch } = usePolicies();
  if (data) return <PolicyForm policies={data.policies} etag={data.etag} />;
  if (error) return <ListError error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex flex-col gap-4">
      {[0, 1, 2, 3].map((index) => (
        <Skeleton key={index} className="h-36 rounded-lg" />
      ))}
    </div>
  );
}

/** The limits that every request is decided by, and which route belongs to which class. */
export function LimitsPage() {
  const [tab, setTab] = useListTab(TABS);
  return (
    <>
      <PageHeader
        actions={<RoleNote needs="owner" />}
        title="Limits"
        description="What is admitted, per class and subject. Changes hold from the next request on."
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
      {tab === 'policies' ? <Policies /> : <RouteRulesSection />}
    </>
  );
}
