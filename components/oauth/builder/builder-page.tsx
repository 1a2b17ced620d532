'use client';

import { Link2 } from 'lucide-react';
import { useId } from 'react';
import { BuilderViews } from '@/components/oauth/builder/builder-views';
import { ControlBar } from '@/components/oauth/builder/control-bar';
import { RequestPane } from '@/components/oauth/builder/request-pane';
import { BlockedBy, Responses } from '@/components/oauth/builder/responses';
import { TokenCard } from '@/components/oauth/builder/token-card';
import { BuilderProvider, PANES_ID, useBuilder } from '@/components/oauth/builder/use-builder';
import { CallbackNotice } from '@/components/oauth/callback/callback-notice';
import { LabContext } from '@/components/oauth/lab-context';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import { toast } from '@/components/ui/toast';
import type { LabDescription } from '@/lib/oauth/describe-lab';

/** The OAuth builder. `query` is that of the link that opened it. */
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
  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(window.location.origin + link);
      toast.success('Link copied', { description: 'It opens the builder in this state and contains no secret.' });
    } catch {
      toast.error('The browser did not allow copying.', { description: 'The address bar holds the same link.' });
    }
  };
  return (
    <div data-wide className="@container flex flex-col gap-5">
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
          <div
            id={PANES_ID}
            tabIndex={-1}
            className={cn(
              'grid scroll-mt-16 items-start gap-4 outline-none @2xl:grid-cols-2',
              compare && '@6xl:grid-cols-3',
            )}
          >
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
