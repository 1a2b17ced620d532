'use client';

import { Link2 } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { BuilderViews } from '@/components/oauth/builder/builder-views';
import { ControlBar } from '@/components/oauth/builder/control-bar';
import { copyText, RequestPane } from '@/components/oauth/builder/request-pane';
import { BlockedBy, Responses, TokenCard } from '@/components/oauth/builder/responses';
import { BuilderProvider, PANES_ID, useBuilder } from '@/components/oauth/builder/use-builder';
import { type AuthorizationResponse, onHandOver } from '@/components/oauth/callback/handed-over';
import { LabContext, useLab } from '@/components/oauth/lab-context';
import { OAuthNav } from '@/components/oauth/oauth-nav';
import { PageHeader } from '@/components/shell/page-header';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import { visibleText } from '@/lib/oauth/builder/visible-text';
import type { LabDescription } from '@/lib/oauth/describe-lab';

/** `query` is that of the link that opened it. */
export function BuilderPage({ lab, query }: { lab: LabDescription; query: string }) {
  return (
    <LabContext value={lab}>
      <BuilderProvider query={query}>
        <Builder />
      </BuilderProvider>
    </LabContext>
  );
}

function Builder() {
  const { state, change, link } = useBuilder();
  const { compare } = state;
  const switchId = useId();
  const panes = 'grid scroll-mt-16 items-start gap-4 outline-none @2xl:grid-cols-2';
  const copyLink = () => {
    const meaning = 'It opens the builder in this state and contains no secret.';
    return copyText(window.location.origin + link, 'Link copied', meaning, 'The address bar holds the same link.');
  };
  return (
    <div data-wide className="@container flex flex-col gap-5">
      <OAuthNav />
      <PageHeader
        title="OAuth builder"
        description="Sends real requests to the lab, shows every byte, and assesses the result."
        actions={
          <>
            <span className="flex items-center gap-2 pr-2">
              <Switch id={switchId} checked={compare} onCheckedChange={(on) => change({ compare: on })} />
              <Label htmlFor={switchId}>Compare with secure config</Label>
            </span>
            <Button variant="outline" onClick={() => void copyLink()}>
              <Link2 aria-hidden /> Copy link
            </Button>
          </>
        }
      />
      <CallbackNotice />
      <div className="grid items-start gap-5 @4xl:grid-cols-[17rem_minmax(0,1fr)]">
        <ControlBar />
        <div className="@container flex min-w-0 flex-col gap-5">
          <div id={PANES_ID} tabIndex={-1} className={cn(panes, compare && '@6xl:grid-cols-3')}>
            <div className={cn('min-w-0', compare && '@2xl:col-span-2 @6xl:col-span-1')}>
              <RequestPane />
            </div>
            <Responses />
          </div>
          <BlockedBy />
          <TokenCard />
        </div>
      </div>
      <BuilderViews />
    </div>
  );
}

/** Reports a response that came back to the callback page, says whether state and issuer fit, and offers its code. */
function CallbackNotice() {
  const { state, change, fill } = useBuilder();
  const { issuer } = useLab();
  const [response, setResponse] = useState<AuthorizationResponse | null>(null);
  useEffect(() => onHandOver(setResponse), []);
  if (!response) return null;
  const { code, error } = response;
  const sent = state.fields.authorize.state;
  const redeem = (received: string) => {
    fill('token', { code: received }, { code: received });
    change({ tab: 'token' });
    setResponse(null);
  };
  const findings = [
    response.state === undefined
      ? 'No state came back: nothing ties it to your request.'
      : response.state === sent && sent !== ''
        ? 'The state is the one in the Authorize tab.'
        : 'The state is not the one in the Authorize tab: it may belong to another request.',
    response.iss === undefined
      ? 'No issuer came back (RFC 9207).'
      : response.iss === issuer
        ? 'The issuer is the lab.'
        : 'The issuer is not the lab: do not redeem it.',
  ];
  return (
    <Alert
      variant={error ? 'warning' : 'info'}
      title={error ? `The callback received an error: ${visibleText(error)}` : 'The callback received a code'}
    >
      <p>{findings.join(' ')}</p>
      <div className="mt-2 flex gap-2">
        {code ? (
          <Button size="sm" onClick={() => redeem(code)}>
            Use the code
          </Button>
        ) : null}
        <Button size="sm" variant="ghost" onClick={() => setResponse(null)}>
          Dismiss
        </Button>
      </div>
    </Alert>
  );
}
