import { GitCommitVertical, Trash2 } from 'lucide-react';
import { RelativeTime } from '@/components/format/relative-time';
import { EmptyState } from '@/components/list/empty-state';
import { AnswerStatus } from '@/components/oauth/builder/result/answer-status';
import { buildFlowArrows, FLOW_ACTORS } from '@/components/oauth/builder/result/flow-arrows';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { SequenceDiagram } from '@/components/oauth/sequence-diagram';
import { Button } from '@/components/ui/button';
import { nameEndpoint } from '@/lib/oauth/builder/builder-request';

/** Shows the messages of this session as a diagram and as a list. */
export default function SequenceView() {
  const { state, openRequest, forget } = useBuilder();
  const { history } = state;
  if (history.length === 0) {
    return (
      <EmptyState icon={GitCommitVertical} title="Nothing was sent yet">
        The diagram grows with each request. An arrow leads to its exchange. It is kept in this browser tab only.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <SequenceDiagram label="The flow so far" actors={FLOW_ACTORS} arrows={buildFlowArrows(history, openRequest)} />
      <section aria-label="History">
        <div className="mb-1.5 flex items-center justify-between gap-3">
          <h3 className="text-sm font-semibold">
            History <span className="font-normal text-muted-foreground tabular-nums">({history.length})</span>
          </h3>
          <Button variant="outline" size="sm" onClick={forget}>
            <Trash2 aria-hidden /> Forget all
          </Button>
        </div>
        <ol className="divide-y overflow-hidden rounded-md border">
          {history.toReversed().map((request) => (
            <li key={request.id}>
              <button
                type="button"
                onClick={() => openRequest(request)}
                className="flex w-full flex-wrap items-center gap-x-2.5 gap-y-1 px-2.5 py-1.5 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2"
              >
                <AnswerStatus answer={request.answer} />
                <span className="font-mono text-xs">{nameEndpoint(request.tab)}</span>
                <span className="text-xs text-muted-foreground">
                  {request.off.length === 0 ? 'every control on' : `${request.off.length} off`}
                  {request.secure ? ' · compared' : ''}
                </span>
                <RelativeTime
                  at={new Date(request.at).toISOString()}
                  className="ml-auto text-xs text-muted-foreground"
                />
              </button>
            </li>
          ))}
        </ol>
        <p className="mt-1.5 text-xs text-muted-foreground">Kept in this browser tab until it is closed.</p>
      </section>
    </div>
  );
}
