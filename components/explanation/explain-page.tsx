'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Route } from 'lucide-react';
import { explain } from '@/components/explanation/ask';
import { ExplanationTrace } from '@/components/explanation/explanation-trace';
import { RequestForm } from '@/components/explanation/question-form';
import { RequestIdForm } from '@/components/explanation/request-id-form';
import type { ExplainQuestion } from '@/components/links/explain-question';
import { rebuildRequest } from '@/components/links/explain-question';
import { type AskedQuestion, formatQuestion, parseQuestion, useQuestionUrl } from '@/components/links/question-url';
import { ConnectionNote } from '@/components/list/connection-note';
import { EmptyState } from '@/components/list/empty-state';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { loadPatiently } from '@/components/shell/load-patiently';
import { PageHeader } from '@/components/shell/page-header';
import { PageTitle } from '@/components/shell/page-title';
import { TitledCard } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Skeleton } from '@/components/ui/skeleton';
import type { EndpointClass } from '@/lib/limiter/meter';

const RecordedDecision = loadOnDemand(() =>
  import('@/components/explanation/recorded-decision').then((file) => file.RecordedDecision),
);
/** Loaded on demand, because most questions have no recorded decision. */
const lookUp = loadPatiently(() => import('@/components/explanation/find-decision'));
const ListError = loadOnDemand(() => import('@/components/list/list-error').then((file) => file.ListError));

/** Explains how any request is decided, or why one was refused, given its request id. Consumes nothing. */
export function ExplainPage() {
  const [askedQuestion, setAskedQuestion] = useQuestionUrl();
  const byId = askedQuestion.request_id !== '';
  const record = useQuery({
    queryKey: ['decisions', 'request', askedQuestion.request_id],
    queryFn: async ({ signal }) => (await lookUp()).findDecision(askedQuestion.request_id, signal),
    enabled: byId,
  });
  const decision = byId ? (record.data ?? undefined) : undefined;
  const question = byId ? decision && rebuildRequest(decision) : parseQuestion(askedQuestion);
  const initial = byId && decision ? formatQuestion(rebuildRequest(decision)) : askedQuestion;
  const caller = nameCaller(initial);
  return (
    <>
      {caller === '' ? null : <PageTitle name={`Explain ${caller}`} />}
      <PageHeader
        title="Explain"
        description="How a request is decided and why: class, limits and where they come from, quota. This consumes nothing."
      />
      <div className="grid items-start gap-4 lg:grid-cols-[21rem_minmax(0,1fr)]">
        <div className="flex flex-col gap-4">
          <TitledCard title="A request that was refused">
            <RequestIdForm
              key={askedQuestion.request_id}
              initial={askedQuestion.request_id}
              onFind={(request_id) => void setAskedQuestion({ ...formatQuestion({}), request_id })}
            />
          </TitledCard>
          <TitledCard title="Any request">
            <RequestForm
              key={JSON.stringify(initial)}
              initial={initial}
              onAsk={(next) => void setAskedQuestion({ ...next, request_id: '' })}
            />
          </TitledCard>
        </div>
        <div className={cn('flex min-w-0 flex-col gap-4', (question || byId) && 'max-lg:order-first')}>
          {byId && record.isError ? <ListError error={record.error} onRetry={() => void record.refetch()} /> : null}
          {byId && record.isSuccess && !decision ? (
            <EmptyState icon={Route} title="No decision has this request id">
              Refusals and bypasses are kept for 30 days; allowed requests are only counted.
            </EmptyState>
          ) : null}
          {decision ? <RecordedDecision decision={decision} /> : null}
          {question ? (
            <ExplainedRequest question={question} expected={decision?.class} isNamed={caller !== ''} />
          ) : null}
          {!question && !byId ? (
            <EmptyState icon={Route} title="Ask about a request">
              Paste the request id of a refusal, or describe a request: who sends it, and where to.
            </EmptyState>
          ) : null}
        </div>
      </div>
    </>
  );
}

/** Names the caller of a question. Empty if there is none, or only a key, whose name the answer has. */
const nameCaller = ({ ip, user_id, client_id, subject }: Omit<AskedQuestion, 'request_id'>) =>
  ip || user_id || client_id || subject;

interface ExplainedProps {
  question: ExplainQuestion;
  expected: EndpointClass | null | undefined;
  /** True if the title of the page names the caller. */
  isNamed: boolean;
}

function ExplainedRequest({ question, expected, isNamed }: ExplainedProps) {
  const explanation = useQuery({
    queryKey: ['explain', question, expected],
    queryFn: ({ signal }) => explain(question, expected, signal),
    refetchInterval: 3_000,
    placeholderData: keepPreviousData,
  });
  const { data, error, refetch } = explanation;
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  return (
    <TitledCard
      title={expected === undefined ? 'How it is decided' : 'How the same request would be decided now'}
      aside={<ConnectionNote queries={[explanation]} />}
    >
      {data?.api_key?.name && !isNamed ? <PageTitle name={`Explain ${data.api_key.name}`} /> : null}
      {data ? <ExplanationTrace explanation={data} request={question} /> : <Skeleton className="h-72" />}
    </TitledCard>
  );
}
