'use client';

import { Link2, Play } from 'lucide-react';
import { useId } from 'react';
import { CallbackNotice } from '@/components/oauth/builder/callback-notice';
import { ControlBar } from '@/components/oauth/builder/request/control-bar';
import { RequestPane } from '@/components/oauth/builder/request/request-pane';
import { ResultPane } from '@/components/oauth/builder/result/result-pane';
import { BuilderProvider, useBuilder } from '@/components/oauth/builder/use-builder';
import { copyText } from '@/components/oauth/copy-text';
import { LabContext } from '@/components/oauth/lab-context';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import type { LabDescription } from '@/lib/oauth/describe-lab';

/** Renders the builder. `query` is the query string of the link that opened it. */
export function BuilderPage({ lab, query }: { lab: LabDescription; query: string }) {
  return (
    <LabContext value={lab}>
      <BuilderProvider query={query}>
        <Builder />
      </BuilderProvider>
    </LabContext>
  );
}

/** Fills wide screens with three panes that scroll separately. Narrow screens stack them. */
function Builder() {
  const { compare } = useBuilder().state;
  const pane = 'xl:min-h-0';
  const columns = compare
    ? 'xl:grid-cols-[15rem_minmax(0,5fr)_minmax(0,9fr)]'
    : 'xl:grid-cols-[17rem_minmax(0,5fr)_minmax(0,7fr)]';
  return (
    <div data-wide className="flex flex-col gap-4 xl:h-[calc(100dvh-6.6rem)] xl:min-h-128">
      <Header />
      <CallbackNotice />
      <div
        className={cn(
          'grid min-h-0 flex-1 items-start gap-4 md:max-xl:grid-cols-2 xl:grid-rows-1 xl:items-stretch',
          columns,
        )}
      >
        <ControlBar className={`${pane} md:max-xl:col-span-2`} />
        <RequestPane className={pane} />
        <ResultPane className={pane} />
      </div>
    </div>
  );
}

function Header() {
  const { state, change, link, sending, runFlow } = useBuilder();
  const switchId = useId();
  const copyLink = () => {
    const meaning = 'It opens the builder in this state and contains no secret.';
    return copyText(window.location.origin + link, 'Link copied', meaning, 'The address bar holds the same link.');
  };
  return (
    <PageHeader
      title="OAuth builder"
      description="Send real requests to the lab, see every byte, and learn what each control prevents."
      actions={
        <>
          <span className="flex items-center gap-2 pr-2 max-sm:order-last">
            <Switch id={switchId} checked={state.compare} onCheckedChange={(on) => change({ compare: on })} />
            <Label htmlFor={switchId}>Compare with secure config</Label>
          </span>
          <Button variant="outline" onClick={() => void copyLink()}>
            <Link2 aria-hidden /> Copy link
          </Button>
          <Button
            className="max-sm:-order-1"
            onClick={() => void runFlow()}
            pending={sending === 'flow'}
            disabled={sending !== null}
          >
            {sending === 'flow' ? null : <Play aria-hidden />} Run the flow
          </Button>
        </>
      }
    />
  );
}
