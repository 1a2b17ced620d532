import { GitCommitVertical, History, RotateCw, Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { RelativeTime } from '@/components/format/relative-time';
import { EmptyState } from '@/components/list/empty-state';
import { ListError } from '@/components/list/list-error';
import { AssessmentProgressBar } from '@/components/oauth/assessment-progress';
import { type BuilderResponse, jsonOf, type SessionRequest, VIEWS } from '@/components/oauth/builder/builder-state';
import { ENDPOINTS } from '@/components/oauth/builder/request-fields';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { StatusBadge } from '@/components/oauth/exchange-list';
import { Matrix } from '@/components/oauth/matrix';
import { type Arrow, SequenceDiagram } from '@/components/oauth/sequence-diagram';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';

const ReplaysView = dynamic(() => import('@/components/oauth/builder/replays-view'), { ssr: false });

export function BuilderViews() {
  const { state, change, measurement, assessed } = useBuilder();
  const [replaysOpened, setReplaysOpened] = useState(state.view === 'replays');
  const failed = assessed.filter(({ finding }) => finding.verdict.kind === 'failed').length;
  const names = {
    matrix: measurement.running ? 'Security matrix' : `Security matrix (${failed} failed)`,
    diagram: 'Sequence diagram',
    replays: 'Attack replays',
    history: `History (${state.history.length})`,
  };
  return (
    <Tabs
      value={state.view}
      onValueChange={(value) => {
        change({ view: VIEWS.find((view) => view === value) ?? 'matrix' });
        if (value === 'replays') setReplaysOpened(true);
      }}
    >
      <TabsList aria-label="Evaluation">
        {VIEWS.map((view) => (
          <TabsTrigger key={view} value={view}>
            {names[view]}
          </TabsTrigger>
        ))}
      </TabsList>
      <TabsContent value="matrix">
        <MatrixView />
      </TabsContent>
      <TabsContent value="diagram">
        <FlowView />
      </TabsContent>
      {/* Once opened it stays mounted, so that the attacks played so far are kept while another tab is open. */}
      <TabsContent value="replays" forceMount hidden={state.view !== 'replays'}>
        {replaysOpened ? <ReplaysView /> : null}
      </TabsContent>
      <TabsContent value="history">
        <HistoryView />
      </TabsContent>
    </Tabs>
  );
}

function MatrixView() {
  const { measurement, assessed, matrixRows } = useBuilder();
  const { progress, running, error, again } = measurement;
  if (error) return <ListError error={error} onRetry={again} />;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="min-w-0 flex-1 basis-80 text-sm text-muted-foreground">
          Each verdict is backed by real requests to the lab with its current switches.
        </p>
        <div className="flex items-center gap-3">
          <AssessmentProgressBar progress={progress} running={running} />
          <Button variant="outline" size="sm" onClick={again} disabled={running}>
            <RotateCw aria-hidden /> Measure again
          </Button>
        </div>
      </div>
      <Matrix assessed={assessed} rows={matrixRows} />
    </div>
  );
}

function FlowView() {
  const { state, openRequest } = useBuilder();
  if (state.history.length === 0) {
    return (
      <EmptyState icon={GitCommitVertical} title="The diagram is empty">
        It grows with each request that you send. An arrow leads to its exchange.
      </EmptyState>
    );
  }
  const actors = ['browser', 'client', 'authorization server', 'resource server'];
  return <SequenceDiagram label="The flow so far" actors={actors} arrows={flowArrows(state.history, openRequest)} />;
}

const ROUTES = {
  authorize: ['browser', 'authorization server'],
  token: ['client', 'authorization server'],
  data: ['client', 'resource server'],
} as const;

/** The arrows of the requests so far, oldest first; each leads to its exchange. */
export function flowArrows(history: readonly SessionRequest[], open: (request: SessionRequest) => void): Arrow[] {
  return history.flatMap((request) => {
    const { id, tab, answer } = request;
    const [from, to] = ROUTES[tab];
    const onOpen = () => open(request);
    const arrows: Arrow[] = [
      { key: `${id}-request`, from, to, text: ENDPOINTS[tab], onOpen },
      { key: `${id}-answer`, from: to, to: from, ...outcomeOf(answer), answer: true, onOpen },
    ];
    if (tab === 'authorize' && typeof jsonOf(answer).code === 'string') {
      arrows.push({ key: `${id}-code`, from: 'browser', to: 'client', text: 'code, state, iss', onOpen });
    }
    return arrows;
  });
}

function outcomeOf(answer: BuilderResponse): { text: string; refused: boolean } {
  if (answer.kind === 'fault') return { text: 'no answer', refused: true };
  if (answer.limitedFor !== null) return { text: `${answer.status} rate limit of Sluice`, refused: true };
  const body = jsonOf(answer);
  if (typeof body.error === 'string') return { text: `${answer.status} ${body.error}`, refused: true };
  const issued = ['code', 'access_token', 'refresh_token'].filter((name) => typeof body[name] === 'string');
  return { text: `${answer.status} ${issued.join(', ')}`.trim(), refused: answer.status >= 400 };
}

function HistoryView() {
  const { state, forget, openRequest } = useBuilder();
  if (state.history.length === 0) {
    return (
      <EmptyState icon={History} title="Nothing was sent yet">
        Every request of this session is kept here, in this browser tab only.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <p className="text-sm text-muted-foreground">Kept in this browser tab, until it is closed.</p>
        <Button variant="outline" size="sm" onClick={forget}>
          <Trash2 aria-hidden /> Forget all
        </Button>
      </div>
      <ol className="divide-y rounded-md border">
        {state.history.toReversed().map((request) => (
          <li key={request.id}>
            <button
              type="button"
              onClick={() => openRequest(request)}
              className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2"
            >
              {request.answer.kind === 'answer' ? (
                <StatusBadge status={request.answer.status} />
              ) : (
                <Badge variant="destructive">no answer</Badge>
              )}
              <span className="font-mono text-xs">{ENDPOINTS[request.tab]}</span>
              <span className="text-xs text-muted-foreground">
                {request.off.length === 0 ? 'every control on' : `${request.off.length} off`}
                {request.secure ? ' · compared' : ''}
              </span>
              <RelativeTime at={new Date(request.at).toISOString()} className="ml-auto text-xs text-muted-foreground" />
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
