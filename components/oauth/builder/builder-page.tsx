'use client';

import { Link2 } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import { toast } from 'sonner';
import { BuilderViews } from '@/components/oauth/builder/builder-views';
import { ControlBar } from '@/components/oauth/builder/control-bar';
import { MatrixView } from '@/components/oauth/builder/matrix-view';
import { RequestPane } from '@/components/oauth/builder/request-pane';
import { BlockedBy, Responses } from '@/components/oauth/builder/responses';
import type { SessionRequest } from '@/components/oauth/builder/session';
import { TokenCard } from '@/components/oauth/builder/token-card';
import { BuilderProvider, useBuilder } from '@/components/oauth/builder/use-builder';
import { CallbackNotice } from '@/components/oauth/callback/callback-notice';
import { rowOf } from '@/components/oauth/control-link';
import { LabProvider } from '@/components/oauth/lab-context';
import { assessedControls } from '@/components/oauth/matrix/assessed-control';
import { useMeasurement } from '@/components/oauth/matrix/use-measurement';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import type { LabDescription } from '@/lib/oauth/describe-lab';

function Actions() {
  const { state, dispatch, link } = useBuilder();
  const id = useId();
  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(window.location.origin + link);
      toast.success('Link copied', { description: 'It opens the builder in this state and contains no secret.' });
    } catch {
      toast.error('The browser did not allow copying.', { description: 'The address bar holds the same link.' });
    }
  };
  return (
    <>
      <span className="flex items-center gap-2 pr-2">
        <Switch
          id={id}
          checked={state.compare}
          onCheckedChange={(compare) => dispatch({ type: 'change', part: { compare } })}
        />
        <Label htmlFor={id}>Compare with secure config</Label>
      </span>
      <Button variant="outline" onClick={() => void copyLink()}>
        <Link2 aria-hidden /> Copy link
      </Button>
    </>
  );
}

function Builder({ lab }: { lab: LabDescription }) {
  const { state, dispatch } = useBuilder();
  const measurement = useMeasurement(state.controls);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const panes = useRef<HTMLDivElement>(null);
  const assessed = useMemo(
    () => assessedControls(lab.controls, measurement.progress.findings),
    [lab, measurement.progress],
  );
  const openChange = (control: string, open: boolean) =>
    setOpened((before) => new Set(open ? [...before, control] : [...before].filter((one) => one !== control)));
  const openControl = (control: string) => {
    dispatch({ type: 'change', part: { view: 'matrix' } });
    openChange(control, true);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const row = document.getElementById(rowOf(control));
        row?.scrollIntoView({ block: 'center' });
        row?.querySelector('button')?.focus({ preventScroll: true });
      }),
    );
  };
  const openRequest = (request: SessionRequest) => {
    dispatch({ type: 'change', part: { tab: request.tab, shown: request.id } });
    panes.current?.scrollIntoView({ block: 'start' });
    panes.current?.focus({ preventScroll: true });
  };
  const failed = assessed.filter(({ finding }) => finding.verdict.kind === 'failed').length;
  return (
    <div data-wide className="@container flex flex-col gap-5">
      <PageHeader
        title="OAuth builder"
        description="Sends real requests to the lab, shows every byte, and assesses the result."
        actions={<Actions />}
      />
      <CallbackNotice />
      <div className="grid items-start gap-5 @4xl:grid-cols-[17rem_minmax(0,1fr)]">
        <ControlBar assessed={assessed} running={measurement.running} />
        <div className="@container flex min-w-0 flex-col gap-5">
          <div
            ref={panes}
            tabIndex={-1}
            className={cn(
              'grid scroll-mt-16 items-start gap-4 outline-none',
              state.compare ? '@2xl:grid-cols-2 @6xl:grid-cols-3' : '@2xl:grid-cols-2',
            )}
          >
            <div className={cn('min-w-0', state.compare && '@2xl:col-span-2 @6xl:col-span-1')}>
              <RequestPane wide={state.compare} />
            </div>
            <Responses />
          </div>
          <BlockedBy onOpen={openControl} />
          <TokenCard />
        </div>
      </div>
      <BuilderViews
        failed={measurement.running ? null : failed}
        onOpenControl={openControl}
        onOpenRequest={openRequest}
        matrix={<MatrixView measurement={measurement} assessed={assessed} opened={opened} onOpenChange={openChange} />}
      />
    </div>
  );
}

/** The OAuth builder. `query` is that of the link that opened it. */
export function BuilderPage({ lab, query }: { lab: LabDescription; query: string }) {
  return (
    <LabProvider lab={lab}>
      <BuilderProvider query={query}>
        <Builder lab={lab} />
      </BuilderProvider>
    </LabProvider>
  );
}
