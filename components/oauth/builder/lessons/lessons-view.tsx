import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ArrowRight, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { ListError } from '@/components/list/list-error';
import { LessonButton } from '@/components/oauth/builder/lessons/lesson-button';
import { useOpenedLessons } from '@/components/oauth/builder/lessons/lesson-progress';
import { createLessonQuery, type Lesson, listLessons } from '@/components/oauth/builder/lessons/lesson-query';
import { ControlLinks } from '@/components/oauth/builder/request/control-links';
import ComparedAnswers from '@/components/oauth/builder/result/compared-answers';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { SeverityBadge, SourceLinks } from '@/components/oauth/control-labels';
import { formatMessage, StatusBadge } from '@/components/oauth/exchange-list';
import { useLab } from '@/components/oauth/lab-context';
import { SafeText } from '@/components/oauth/safe-text';
import { Button } from '@/components/ui/button';
import { Disclosure } from '@/components/ui/disclosure';
import { Skeleton } from '@/components/ui/skeleton';
import { findDecidingStep, type LessonStep } from '@/lib/oauth/builder/lesson';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

/** Teaches one control by the request that only a lab without it accepts, or lists all lessons. */
export default function LessonsView() {
  const { state } = useBuilder();
  const lessons = listLessons(useLab().controls);
  const at = lessons.findIndex(({ id }) => id === state.lesson);
  const lesson = lessons[at];
  return lesson === undefined ? (
    <LessonList lessons={lessons} />
  ) : (
    <ShownLesson key={lesson.id} lesson={lesson} next={lessons[at + 1]} position={`${at + 1} of ${lessons.length}`} />
  );
}

function LessonList({ lessons }: { lessons: readonly Lesson[] }) {
  const opened = useOpenedLessons();
  const done = lessons.filter(({ id }) => opened.includes(id)).length;
  return (
    <section aria-label="Lessons" className="flex flex-col gap-2">
      <p className="text-sm text-muted-foreground">
        Each lesson switches one control off, and compares the answers with those of a secure server.{' '}
        <span className="tabular-nums">
          {done} of {lessons.length} opened in this browser.
        </span>
      </p>
      <ol className="divide-y rounded-md border">
        {lessons.map(({ id, title, severity }) => (
          <li key={id} className="flex items-center gap-2.5 px-2.5 py-1.5 text-sm">
            <CircleCheck
              aria-label={opened.includes(id) ? 'Opened' : 'Not opened yet'}
              className={opened.includes(id) ? 'size-4 shrink-0 text-success-text' : 'size-4 shrink-0 text-border'}
            />
            <span className="min-w-0 flex-1">{title}</span>
            <span className="max-sm:hidden">
              <SeverityBadge severity={severity} failed={false} />
            </span>
            <LessonButton id={id} title={title} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function ShownLesson(props: { lesson: Lesson; next: Lesson | undefined; position: string }) {
  const { lesson, next, position } = props;
  const { change, openLesson } = useBuilder();
  const { data, error, refetch } = useQuery(createLessonQuery(lesson.id));
  return (
    <section aria-label={`Lesson: ${lesson.title}`} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Button variant="ghost" size="sm" onClick={() => change({ lesson: null })}>
          <ArrowLeft aria-hidden /> All lessons
        </Button>
        <span className="text-xs text-muted-foreground tabular-nums">{position}</span>
        {next ? (
          <Button variant="outline" size="sm" onClick={() => void openLesson(next.id)}>
            Next <span className="sr-only">lesson: {next.title}</span> <ArrowRight aria-hidden />
          </Button>
        ) : null}
      </div>
      <div>
        <h3 className="text-base font-semibold">{lesson.title}</h3>
        <p className="text-xs text-muted-foreground">
          <SourceLinks sources={lesson.source} />
        </p>
      </div>
      <div aria-live="polite">{data ? <Gain lesson={lesson} steps={data.steps} /> : null}</div>
      {error ? (
        <ListError error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-64" />
      ) : (
        <ComparedSteps steps={data.steps} />
      )}
    </section>
  );
}

/** Shows the answers of the chosen step, at first of the deciding one. */
function ComparedSteps({ steps }: { steps: readonly LessonStep[] }) {
  const [chosen, setChosen] = useState(() => findDecidingStep(steps));
  const step = steps[chosen];
  return (
    <>
      {step ? (
        <>
          <ComparedAnswers answer={buildAnswer(step.weakened)} secure={step.secure && buildAnswer(step.secure)} />
          <Disclosure title={<span className="font-medium">The request</span>} className="-mx-1.5">
            <SafeText
              label={`Request: ${step.label}`}
              text={formatMessage(`${step.request.method} ${step.request.url}`, step.request)}
              className="-ml-6 max-sm:ml-0"
            />
          </Disclosure>
        </>
      ) : null}
      <Disclosure
        title={<span className="font-medium">All requests of this lesson ({steps.length})</span>}
        className="-mx-1.5"
      >
        <ol aria-label="Requests of the lesson" className="-ml-6 divide-y rounded-md border max-sm:ml-0">
          {steps.map(({ label, weakened, secure, differs }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: evidence never moves
            <li key={index}>
              <button
                type="button"
                aria-current={index === chosen ? 'step' : undefined}
                onClick={() => setChosen(index)}
                className="flex w-full items-center gap-2 px-2.5 py-1.5 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2 aria-[current=step]:bg-muted/70"
              >
                <StatusBadge status={weakened.status} tone={differs ? 'destructive' : 'neutral'} />
                {secure ? <StatusBadge status={secure.status} tone={differs ? 'success' : 'neutral'} /> : null}
                <span className="min-w-0 flex-1 truncate">{escapeInvisibleCharacters(label)}</span>
              </button>
            </li>
          ))}
        </ol>
      </Disclosure>
    </>
  );
}

/** Says in two sentences what differs, and what an attacker gains. */
function Gain({ lesson, steps }: { lesson: Lesson; steps: readonly LessonStep[] }) {
  const step = steps[findDecidingStep(steps)];
  if (step === undefined) return null;
  const { weakened, secure } = step;
  const isSame = weakened.status === secure?.status;
  return (
    <div className="rounded-md border border-l-4 border-l-destructive px-3 py-2 text-sm">
      <p>
        {isSame
          ? `Without this control the answer to “${escapeInvisibleCharacters(step.label)}” has other lines, which are marked below.`
          : `Without this control “${escapeInvisibleCharacters(step.label)}” is answered with ${weakened.status}; the secure configuration answers ${secure?.status}.`}{' '}
        <strong className="font-medium">{lesson.protectsFrom}</strong>
      </p>
      <ControlLinks label="The control" ids={[lesson.id]} className="mt-1.5" />
    </div>
  );
}

const buildAnswer = (response: LessonStep['weakened']) => ({ kind: 'answer' as const, ...response, durationMs: 0 });
