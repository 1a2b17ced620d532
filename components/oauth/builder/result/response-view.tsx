import dynamic from 'next/dynamic';
import { CopyButton } from '@/components/format/copy-button';
import { Timestamp } from '@/components/format/timestamp';
import {
  type BuilderResponse,
  findShownRequest,
  isAccepted,
  type SessionRequest,
  selectFlow,
} from '@/components/oauth/builder/builder-state';
import { LessonButton } from '@/components/oauth/builder/lessons/lesson-button';
import { FIRST_LESSONS, listLessons } from '@/components/oauth/builder/lessons/lesson-query';
import { ControlLinks } from '@/components/oauth/builder/request/control-links';
import { STEP_NAMES } from '@/components/oauth/builder/request/request-fields';
import { AnswerNote } from '@/components/oauth/builder/result/answer-note';
import { AnswerStatus } from '@/components/oauth/builder/result/answer-status';
import { summarizeOutcome } from '@/components/oauth/builder/result/flow-arrows';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { SafeText } from '@/components/oauth/safe-text';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Disclosure } from '@/components/ui/disclosure';
import { formatNumber } from '@/lib/format-number';
import { findHeader } from '@/lib/oauth/client/check-answer';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

const ComparedAnswers = dynamic(() => import('@/components/oauth/builder/result/compared-answers'), {
  loading: () => null,
});

type Answer = Extract<BuilderResponse, { kind: 'answer' }>;

/**
 * Shows the exchanges of the flow and the selected answer. In comparison mode the secure configuration's answer is next
 * to it.
 */
export function ResponseView() {
  const { state } = useBuilder();
  const request = findShownRequest(state);
  return (
    <div className="flex flex-col gap-3" aria-live="polite">
      <FlowSteps shown={request?.id ?? null} />
      {request === null ? (
        <NothingSent />
      ) : (
        <>
          <AnswerNote answer={request.answer} at={request.at} />
          {request.secure ? <BlockedBy secure={request.secure} ids={request.blockedBy} /> : null}
          {state.compare && request.secure ? (
            <ComparedAnswers answer={request.answer} secure={request.secure} />
          ) : request.answer.kind === 'answer' ? (
            <AnswerBody answer={request.answer} at={request.at} />
          ) : null}
          {state.compare && !request.secure ? (
            <p className="text-xs text-muted-foreground">This request was not compared. Send it again to compare it.</p>
          ) : null}
        </>
      )}
    </div>
  );
}

/** Placeholder that offers the first lessons. */
function NothingSent() {
  const { change } = useBuilder();
  const lessons = listLessons(useLab().controls);
  return (
    <div className="rounded-md border border-dashed px-4 py-5 text-sm">
      <p className="text-center text-balance text-muted-foreground">
        Nothing sent yet. Run the flow to see its three exchanges, or send this step.
      </p>
      <h3 className="mt-5 font-medium">See what a control prevents</h3>
      <ul aria-label="First lessons" className="mt-1 divide-y">
        {lessons.slice(0, FIRST_LESSONS.length).map(({ id, title }) => (
          <li key={id} className="flex items-center justify-between gap-2 py-1.5">
            {title} <LessonButton id={id} title={title} />
          </li>
        ))}
      </ul>
      <Button
        variant="ghost"
        size="sm"
        className="-ml-2 text-primary"
        onClick={() => change({ view: 'lessons', lesson: null })}
      >
        All {lessons.length} lessons
      </Button>
    </div>
  );
}

/** Lists the exchanges of the flow, one per row. */
function FlowSteps({ shown }: { shown: string | null }) {
  const { state, openRequest } = useBuilder();
  const flow = selectFlow(state.history);
  if (flow.length === 0) return null;
  return (
    <ol aria-label="Exchanges of the flow" className="divide-y overflow-hidden rounded-md border">
      {flow.map((request) => (
        <li key={request.id}>
          <button
            type="button"
            aria-current={request.id === shown ? 'step' : undefined}
            onClick={() => openRequest(request)}
            className="flex w-full items-center gap-2.5 px-2.5 py-1.5 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2 aria-[current=step]:bg-muted/70"
          >
            <AnswerStatus answer={request.answer} />
            <span className="font-medium">{STEP_NAMES[request.tab]}</span>
            <span className="min-w-0 flex-1 truncate text-xs text-muted-foreground">{formatOutcome(request)}</span>
            {request.answer.kind === 'answer' ? (
              <span className="text-xs text-muted-foreground tabular-nums">{formatAnswerTime(request.answer)}</span>
            ) : null}
          </button>
        </li>
      ))}
    </ol>
  );
}

function formatOutcome({ tab, answer }: SessionRequest): string {
  const { text } = summarizeOutcome(answer);
  return tab === 'data' && isAccepted(answer)
    ? 'the protected data'
    : escapeInvisibleCharacters(text.replace(/^\d+ ?/, ''));
}

const formatAnswerTime = ({ durationMs }: Answer) => `${durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms`;

/** Shows how the secure configuration answers the request. */
function BlockedBy({ secure, ids }: { secure: BuilderResponse; ids: readonly string[] }) {
  if (ids.length > 0) {
    const count = ids.length === 1 ? 'one control' : `${ids.length} controls`;
    return (
      <Alert title={`The secure configuration: blocked by ${count}`}>
        <ControlLinks label="Would be blocked by" ids={ids} className="mt-1.5" />
      </Alert>
    );
  }
  return (
    <Alert>
      {isAccepted(secure)
        ? 'The secure configuration accepts this request as well.'
        : 'The secure configuration refuses this request too, but not because of a control: the request itself is invalid.'}
    </Alert>
  );
}

function AnswerBody({ answer, at }: { answer: Answer; at: number }) {
  const { status, body, headers } = answer;
  const remaining = findHeader(answer, 'x-ratelimit-remaining');
  return (
    <section aria-label="Response" className="min-w-0">
      <div className="mb-1 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xs text-muted-foreground tabular-nums">
        <h3 className="text-sm font-medium text-foreground">HTTP {status}</h3>
        <span>{formatAnswerTime(answer)}</span>
        <span>{formatNumber(new TextEncoder().encode(body).length)} bytes</span>
        <Timestamp at={at} seconds />
        {remaining && /^\d+$/.test(remaining) ? <span>{remaining} left of the rate limit</span> : null}
        <CopyButton value={body} label="Copy body" className="ml-auto" />
      </div>
      {body === '' ? (
        <p className="text-sm text-muted-foreground">The body is empty.</p>
      ) : (
        <SafeText label="Response: body" text={body} className="max-h-none" />
      )}
      <Disclosure title={<span className="font-medium">Headers ({headers.length})</span>} className="-mx-1.5 mt-2">
        <SafeText
          label="Response: headers"
          text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
          className="-ml-6 max-sm:ml-0"
        />
      </Disclosure>
    </section>
  );
}
