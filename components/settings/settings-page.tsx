'use client';

import dynamic from 'next/dynamic';
import { parseAsString, useQueryStates } from 'nuqs';
import { DetailList } from '@/components/list/detail-list';
import { ListTabs, nameListTab, TabSkeleton, useListTab } from '@/components/list/list-tabs';
import { PageHeader } from '@/components/shell/page-header';
import { PageTitle } from '@/components/shell/page-title';
import { TitledCard } from '@/components/ui/card';

const Tokens = dynamic(() => import('@/components/tokens/tokens-section'), { ssr: false, loading: TabSkeleton });
const Members = dynamic(() => import('@/components/members/members-section'), { ssr: false, loading: TabSkeleton });
const Alerts = dynamic(() => import('@/components/alerts/alerts-section'), { ssr: false, loading: TabSkeleton });
const Account = dynamic(() => import('@/components/session/account-section'), { ssr: false, loading: TabSkeleton });

const TABS = [
  { value: 'tokens', label: 'Admin tokens' },
  { value: 'members', label: 'Members' },
  { value: 'alerts', label: 'Alerts' },
  { value: 'account', label: 'My account' },
  { value: 'about', label: 'About' },
] as const;

export function SettingsPage({ installation }: { installation: Installation }) {
  const [tab, setTab] = useListTab(TABS);
  const [, clear] = useQueryStates({ q: parseAsString, sort: parseAsString, role: parseAsString });
  const change = (next: typeof tab) => {
    // Each list has its own search, so a change of tab clears it.
    void clear(null);
    void setTab(next);
  };
  return (
    <>
      <PageTitle name={`${nameListTab(TABS, tab)}, settings`} />
      <PageHeader title="Settings" needs={tab === 'account' || tab === 'about' ? undefined : 'owner'} />
      <ListTabs label="Settings" value={tab} onChange={change} tabs={TABS} />
      {tab === 'tokens' ? <Tokens /> : null}
      {tab === 'members' ? <Members /> : null}
      {tab === 'alerts' ? <Alerts hasMail={installation.mailServer !== null} /> : null}
      {tab === 'account' ? <Account /> : null}
      {tab === 'about' ? <InstallationDetails installation={installation} /> : null}
    </>
  );
}

/** Describes this installation, without secrets. */
export interface Installation {
  version: string;
  node: string;
  database: string;
  counters: string;
  upstream: string | null;
  trustedProxies: readonly string[];
  ietfHeaders: boolean;
  lab: boolean;
  providers: readonly string[];
  mailServer: string | null;
}

function InstallationDetails({ installation }: { installation: Installation }) {
  const { trustedProxies, providers } = installation;
  return (
    <TitledCard title="This installation">
      <DetailList
        className="lg:grid-cols-3"
        details={[
          { name: 'Version', value: installation.version },
          { name: 'Node', value: installation.node },
          { name: 'Database', value: installation.database },
          { name: 'Counter store', value: installation.counters },
          { name: 'Upstream', value: installation.upstream ?? 'none' },
          { name: 'Trusted proxies', value: trustedProxies.length > 0 ? trustedProxies.join(', ') : 'none' },
          { name: 'IETF RateLimit fields', value: installation.ietfHeaders ? 'sent' : 'not sent' },
          { name: 'OAuth lab', value: installation.lab ? 'on' : 'off' },
          { name: 'Mail server', value: installation.mailServer ?? 'none' },
          {
            name: 'Sign-in providers',
            value: providers.length > 0 ? providers.join(', ') : 'e-mail and password only',
          },
        ]}
      />
    </TitledCard>
  );
}
