import { Check, ChevronRight, Copy, Send, X } from 'lucide-react';
import dynamic from 'next/dynamic';
import { Fragment, type SyntheticEvent } from 'react';
import { isAccepted, selectFlow } from '@/components/oauth/builder/builder-state';
import { STEP_NAMES } from '@/components/oauth/builder/request/request-fields';
import { RequestForm } from '@/components/oauth/builder/request/request-form';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { copyText } from '@/components/oauth/copy-text';
import { useLab } from '@/components/oauth/lab-context';
import { SafeText } from '@/components/oauth/safe-text';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Disclosure } from '@/components/ui/disclosure';
import { Kbd } from '@/components/ui/kbd';
import { Segmented } from '@/components/ui/segmented';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';
import { BUILDER_TABS, type BuilderTab, nameEndpoint, planLabRequest } from '@/lib/oauth/builder/builder-request';
import { formatCurlCode } from '@/lib/oauth/client/code/curl';
import { formatFetchCode } from '@/lib/oauth/client/code/fetch';
import { buildLabEnvironments } from '@/lib/oauth/client/environment';
import { EMPTY_FLOW } from '@/lib/oauth/client/plan-request';
import { buildWireRequest, formatHttp } from '@/lib/oauth/client/wire-request';

const DataForm = dynamic(() => import('@/components/oauth/builder/request/data-form'), { loading: () => null });

/** Shows one of the flow's three requests at a time. */
export function RequestPane({ className }: { className?: string }) {
  const { state, change, sending, send } = useBuilder();
  const sendOnSubmit = (event: SyntheticEvent) => {
    event.preventDefault();
    void send();
  };
  return (
    <Card aria-label="Request" className={className}>
      <form
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={sendOnSubmit}
        onKeyDown={(event) => event.key === 'Enter' && (event.metaKey || event.ctrlKey) && sendOnSubmit(event)}
      >
        <Tabs
          value={state.tab}
          onValueChange={(value) => change({ tab: BUILDER_TABS.find((tab) => tab === value) ?? 'authorize' })}
          className="flex min-h-0 flex-1 flex-col"
        >
          <TabsList aria-label="Request" className="shrink-0 gap-1.5 px-4 pt-1 xl:max-[88rem]:gap-3">
            {BUILDER_TABS.map((tab, index) => (
              <Fragment key={tab}>
                {index > 0 ? (
                  <ChevronRight
                    aria-hidden
                    className="size-4 shrink-0 text-muted-foreground/60 xl:max-[88rem]:hidden"
                  />
                ) : null}
                <TabsTrigger value={tab}>
                  <StepMark tab={tab} number={index + 1} />
                  {STEP_NAMES[tab]}
                </TabsTrigger>
              </Fragment>
            ))}
          </TabsList>
          {BUILDER_TABS.map((tab) => (
            <TabsContent key={tab} value={tab} className="min-h-0 flex-1 scroll-p-2 overflow-y-auto px-4 pt-3 pb-4">
              <h2 className="mb-4 font-mono text-sm font-medium">{nameEndpoint(tab)}</h2>
              {tab === 'data' ? <DataForm /> : <RequestForm />}
              <RawRequest />
            </TabsContent>
          ))}
        </Tabs>
        <div className="sticky bottom-0 flex shrink-0 items-center gap-3 rounded-b-lg border-t bg-card px-4 py-2.5">
          <Button type="submit" variant="outline" pending={sending === 'step'} disabled={sending !== null}>
            <Send aria-hidden /> Send
          </Button>
          <span className="min-w-0 text-xs text-muted-foreground">
            {sending === null ? 'this step only' : 'Sending…'}
          </span>
          <Kbd className="ml-auto max-sm:hidden">Ctrl ↵</Kbd>
        </div>
      </form>
    </Card>
  );
}

/** Shows the number of a step, or its result. */
function StepMark({ tab, number }: { tab: BuilderTab; number: number }) {
  const { state } = useBuilder();
  const sent = selectFlow(state.history).find((request) => request.tab === tab);
  const isSuccess = sent && isAccepted(sent.answer);
  const Icon = isSuccess ? Check : X;
  const looks = isSuccess
    ? 'border-success bg-success-soft text-success-text'
    : 'border-warning bg-warning-soft text-warning-text';
  return (
    <span
      aria-hidden
      className={cn('grid size-4.5 place-items-center rounded-full border text-2xs tabular-nums', sent && looks)}
    >
      {sent ? <Icon className="size-3" /> : number}
    </span>
  );
}

function RawRequest() {
  const { state, change, request } = useBuilder();
  const { issuer } = useLab();
  const planned = planLabRequest(request, issuer);
  const [environment] = buildLabEnvironments(issuer);
  const code = { planned, environment, metadata: null, flow: EMPTY_FLOW, proofKey: '', showSecrets: true };
  return (
    <Disclosure
      title={<span className="font-medium">What is sent</span>}
      initiallyOpen
      className="-mx-1.5 mt-4 border-t pt-1.5"
    >
      <div className="-ml-6 flex min-w-0 flex-col gap-2 pr-1.5 max-sm:ml-0">
        <SafeText label="The request as it is sent" text={formatHttp(buildWireRequest(planned))} className="max-h-80" />
        <div className="flex flex-wrap items-center gap-1.5">
          {Object.entries({ curl: formatCurlCode, fetch: formatFetchCode }).map(([name, write]) => (
            <Button
              key={name}
              variant="outline"
              size="sm"
              onClick={() => void copyText(write(code), `Copied as ${name}`)}
            >
              <Copy aria-hidden /> {name}
            </Button>
          ))}
          {state.tab === 'data' ? null : (
            <Segmented
              label="Body as"
              value={state.encoding}
              onChange={(encoding) => change({ encoding })}
              className="ml-auto"
              options={[
                { value: 'form', label: 'Form' },
                { value: 'json', label: 'JSON' },
              ]}
            />
          )}
        </div>
        <p className="text-xs text-muted-foreground">
          The browser adds its own headers, with the cookie of your session: your requests do not count as sign-ins.
        </p>
      </div>
    </Disclosure>
  );
}
