'use client';

import dynamic from 'next/dynamic';
import { parseAsString, useQueryStates } from 'nuqs';
import { ListTabs, useListTab } from '@/components/list/list-tabs';
import { About, type Installation } from '@/components/settings/about';
import { PageHeader } from '@/components/shell/page-header';
import { Skeleton } from '@/components/ui/skeleton';

const TokensSection = dynamic(() => import('@/components/tokens/tokens-section').then((file) => file.TokensSection), {
  ssr: false,
  loading: () => <Skeleton className="h-80 rounded-lg" />,
});
const MembersSection = dynamic(
  () => import('@/components/members/members-section').then((file) => file.MembersSection),
  {
    ssr: false,
    loading: () => <Skeleton className="h-80 rounded-lg" />,
  },
);

const PasswordSection = dynamic(
  () => import('@/components/session/password-section').then((file) => file.PasswordSection),
  { ssr: false, loading: () => <Skeleton className="h-80 rounded-lg" /> },
);

const FailedSignInsSection = dynamic(
  () => import('@/components/session/failed-sign-ins-section').then((file) => file.FailedSignInsSection),
  { ssr: false, loading: () => <Skeleton className="h-80 rounded-lg" /> },
);

const TABS = ['tokens', 'members', 'account', 'about'] as const;

/** Tokens of automation, people, the own account, and what this installation is. */
export function SettingsPage({ installation }: { installation: Installation }) {
  const [tab, setTab] = useListTab(TABS);
  const [, clear] = useQueryStates({ q: parseAsString, sort: parseAsString, role: parseAsString });
  return (
    <>
      <PageHeader title="Settings" needs={tab === 'account' || tab === 'about' ? undefined : 'owner'} />
      <ListTabs
        label="Settings"
        value={tab}
        onChange={(next) => {
          // The search of one list is not meant for another.
          void clear(null);
          void setTab(next);
        }}
        tabs={[
          { value: 'tokens', label: 'Admin tokens' },
          { value: 'members', label: 'Members' },
          { value: 'account', label: 'My account' },
          { value: 'about', label: 'About' },
        ]}
      />
      {tab === 'tokens' ? <TokensSection /> : null}
      {tab === 'members' ? <MembersSection providers={installation.providers} /> : null}
      {tab === 'account' ? (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <PasswordSection />
          <FailedSignInsSection />
        </div>
      ) : null}
      {tab === 'about' ? <About installation={installation} /> : null}
    </>
  );
}
