import { Check, Minus } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ConnectStep } from '@/components/first-hour/connect-step';
import { InviteStep, KeyStep, LimitStep } from '@/components/first-hour/short-steps';
import { STEP_IDS, type StepId } from '@/components/first-hour/step-state';
import type { FirstHourState } from '@/components/first-hour/use-first-hour';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { Button } from '@/components/ui/button';
import { Card, CardHeader, CardTitle } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Disclosure } from '@/components/ui/disclosure';
import type { FirstSteps } from '@/lib/contract/first-hour';
import { formatNumber } from '@/lib/format-number';

const RequestStep = loadOnDemand(() => import('@/components/first-hour/request-step').then((file) => file.RequestStep));

const TITLES: Record<StepId, string> = {
  connect: 'Connect your traffic',
  request: 'Send a first request',
  key: 'Create an API key',
  limit: 'Set a limit',
  invite: 'Invite someone',
};

/** Returns the status text of a step, according to the stored data. */
function describeStatus(id: StepId, steps: FirstSteps): string {
  const { connect, request } = steps;
  switch (id) {
    case 'connect':
      if (connect.upstream) return `Requests are passed to ${connect.upstream}`;
      if (connect.done) return 'A gateway has asked for a decision';
      return connect.gateway_tokens > 0
        ? 'Waiting for the first call from a gateway'
        : 'A gateway, your code, or Sluice as the proxy';
    case 'request':
      return request.done
        ? `${formatNumber(request.decisions)} decided so far, sign-ins included`
        : 'No request decided yet, except sign-ins to this console';
    case 'key':
      return steps.key.done ? 'A key exists' : 'For a client with a monthly quota';
    case 'limit':
      return steps.limit.done ? 'You have set your own limits' : 'The defaults apply';
    case 'invite':
      return steps.invite.done ? 'More than one member' : 'You are the only member';
  }
}

const CONTENT: Record<StepId, (steps: FirstSteps) => ReactNode> = {
  connect: (steps) => <ConnectStep upstream={steps.connect.upstream} />,
  request: (steps) => <RequestStep decisions={steps.request.decisions} />,
  key: () => <KeyStep />,
  limit: () => <LimitStep />,
  invite: () => <InviteStep />,
};

/** Guides to the first decided request and the first settings. The installation itself shows which steps are done. */
export default function FirstHour({ state, steps }: { state: FirstHourState; steps: FirstSteps }) {
  const { settled, skipped } = state;
  const next = STEP_IDS.find((id) => !settled.includes(id));
  const [opened, setOpened] = useState<Partial<Record<StepId, boolean>>>({});
  // The next step opens automatically once. Open steps stay open, because one may show the token.
  if (next !== undefined && opened[next] === undefined) setOpened({ ...opened, [next]: true });
  // Steps stay visible after they were shown, even if most are done, until the member hides them.
  const { show } = state;
  const shown = useRef(false);
  useEffect(() => {
    if (!shown.current) show();
    shown.current = true;
  }, [show]);
  const done = STEP_IDS.filter((id) => steps[id].done).length;
  return (
    <Card aria-labelledby="first-steps">
      <CardHeader className="border-b">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-3">
          <CardTitle id="first-steps">First steps</CardTitle>
          <p className="text-sm text-muted-foreground" aria-live="polite">
            {next === undefined ? 'Everything is set up' : `${done} of ${STEP_IDS.length} done`}
          </p>
        </div>
        <Button variant="ghost" size="sm" onClick={state.hide}>
          Hide
        </Button>
      </CardHeader>
      <ol className="flex flex-col divide-y">
        {STEP_IDS.map((id, index) => {
          const isSkipped = skipped.includes(id) && !steps[id].done;
          return (
            <li key={id} className="px-2.5 py-1.5">
              <Disclosure
                open={opened[id] ?? false}
                onOpenChange={(open) => setOpened({ ...opened, [id]: open })}
                title={
                  <span className="flex min-w-0 items-start gap-2.5">
                    <Mark number={index + 1} done={steps[id].done} skipped={isSkipped} />
                    <span className="flex min-w-0 flex-wrap items-baseline gap-x-2.5">
                      <span className="font-medium">{TITLES[id]}</span>
                      <span className="text-muted-foreground">{isSkipped ? 'Skipped' : describeStatus(id, steps)}</span>
                    </span>
                  </span>
                }
              >
                <div className="flex flex-col gap-3 sm:pl-7.5">
                  {CONTENT[id](steps)}
                  {steps[id].done ? null : (
                    <Button
                      variant="ghost"
                      size="sm"
                      className="self-start text-muted-foreground"
                      onClick={() => (isSkipped ? state.takeUp(id) : state.skip(id))}
                    >
                      {isSkipped ? 'Bring this step back' : 'Skip this step'}
                    </Button>
                  )}
                </div>
              </Disclosure>
            </li>
          );
        })}
      </ol>
    </Card>
  );
}

function Mark({ number, done, skipped }: { number: number; done: boolean; skipped: boolean }) {
  return (
    <span
      className={cn(
        'inline-flex size-5 shrink-0 items-center justify-center rounded-full text-2xs font-medium tabular-nums',
        done ? 'bg-success-soft text-success-text' : 'bg-muted text-muted-foreground',
      )}
    >
      {done ? <Check aria-hidden className="size-3" /> : skipped ? <Minus aria-hidden className="size-3" /> : number}
      <span className="sr-only">{done ? 'done' : skipped ? 'skipped' : 'to do'}</span>
    </span>
  );
}
