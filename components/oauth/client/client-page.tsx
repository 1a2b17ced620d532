'use client';

import { AnswerCard } from '@/components/oauth/client/answer-card';
import { ClientCard } from '@/components/oauth/client/client-card';
import { EntryList } from '@/components/oauth/client/entry-list';
import { EnvironmentBar } from '@/components/oauth/client/environment-bar';
import { RequestCard } from '@/components/oauth/client/request-card';
import { ServerCard } from '@/components/oauth/client/server-card';
import { StepBar } from '@/components/oauth/client/step-bar';
import { ClientProvider, useClient } from '@/components/oauth/client/use-client';
import { useHasRole } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Alert } from '@/components/ui/alert';

/**
 * Renders the OAuth client. `origin` is the origin of the lab; `query` is the query string of the link that opened the
 * page.
 */
export function ClientPage({ origin, query }: { origin: string; query: string }) {
  return (
    <ClientProvider origin={origin} query={query}>
      <Client />
    </ClientProvider>
  );
}

function Client() {
  const { origin, state } = useClient();
  const elsewhere = state.environment.issuer !== origin;
  const may = useHasRole('operator');
  return (
    <div data-wide className="@container flex flex-col gap-5">
      <PageHeader
        title="OAuth client"
        description="Takes part in the flows of any authorization server as a client, step by step."
      />
      <EnvironmentBar />
      {elsewhere && !may ? (
        <Alert variant="warning">Requests to servers other than the lab need the operator role.</Alert>
      ) : null}
      <div className="grid items-start gap-5 @4xl:grid-cols-[18.5rem_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          <ServerCard />
          <ClientCard />
        </div>
        <div className="@container flex min-w-0 flex-col gap-5">
          <StepBar />
          <div className="grid items-start gap-5 @3xl:grid-cols-2">
            <RequestCard />
            <AnswerCard />
          </div>
          <EntryList />
        </div>
      </div>
    </div>
  );
}
