import { Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { CitedText } from '@/components/format/cited-text';
import { ListError } from '@/components/list/list-error';
import { ControlLinks } from '@/components/oauth/builder/request/control-links';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { SourceLinks } from '@/components/oauth/control-labels';
import { ExchangeList } from '@/components/oauth/exchange-list';
import { useLab } from '@/components/oauth/lab-context';
import { SequenceDiagram } from '@/components/oauth/sequence-diagram';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Skeleton } from '@/components/ui/skeleton';
import type { LabDescription } from '@/lib/oauth/describe-lab';
import type { ReplayReport } from '@/lib/oauth/replays/replay';

/**
 * Lists every attack, run with real requests against the lab with its current switches. Successful attacks come first.
 */
export default function AttacksView() {
  const { measurement } = useBuilder();
  const { replays } = useLab();
  const { attacks, error, again } = measurement;
  if (error) return <ListError error={error} onRetry={again} />;
  const hasSucceeded = ({ id }: { id: string }) => attacks.get(id)?.result.kind === 'succeeded';
  const ordered = [...replays.filter(hasSucceeded), ...replays.filter((replay) => !hasSucceeded(replay))];
  const count = replays.filter(hasSucceeded).length;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-muted-foreground">
        {attacks.size === 0
          ? 'Playing the attacks…'
          : `${count === 0 ? 'None' : count} of ${replays.length} attacks ${count === 1 ? 'succeeds' : 'succeed'} with the current switches. Each was played with real requests to a sandboxed lab.`}
      </p>
      <ul className="flex flex-col gap-2.5">
        {ordered.map((attack) => (
          <AttackItem key={attack.id} attack={attack} report={attacks.get(attack.id)} />
        ))}
      </ul>
    </div>
  );
}

const RESULTS = {
  blocked: { variant: 'success', text: 'Blocked' },
  succeeded: { variant: 'destructive', text: 'Succeeds' },
  not_played: { variant: 'neutral', text: 'Not played' },
} as const;

/** Scrolls to an attack: within its pane if that scrolls by itself, as on wide screens, otherwise the page. */
function scrollToItem(item: HTMLElement): void {
  const pane = item.closest('[role=tabpanel]');
  if (pane === null || pane.scrollHeight <= pane.clientHeight) item.scrollIntoView({ block: 'start' });
  else pane.scrollTop += item.getBoundingClientRect().top - pane.getBoundingClientRect().top;
}

function AttackItem(props: { attack: LabDescription['replays'][number]; report: ReplayReport | undefined }) {
  const { attack, report } = props;
  const { played, play } = useBuilder();
  const { id, title, story, source } = attack;
  const item = useRef<HTMLLIElement>(null);
  const times = played?.id === id ? played.times : 0;
  useEffect(() => {
    if (times > 0 && item.current !== null) scrollToItem(item.current);
  }, [times]);
  const result = report?.result;
  const succeeded = result?.kind === 'succeeded';
  return (
    <li
      ref={item}
      className={cn('min-w-0 scroll-mt-16 rounded-lg border px-3.5 py-3', succeeded && 'border-destructive/50')}
    >
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h3 className="flex flex-wrap items-center gap-2 text-sm font-semibold">
            {title}
            {result ? (
              <Badge variant={RESULTS[result.kind].variant}>{RESULTS[result.kind].text}</Badge>
            ) : (
              <Skeleton className="h-5 w-16" />
            )}
          </h3>
          <p className="mt-0.5 text-sm text-muted-foreground">
            {story}{' '}
            <span className="text-xs">
              <SourceLinks sources={source} />
            </span>
          </p>
        </div>
        <Button
          variant="outline"
          size="sm"
          disabled={report === undefined}
          aria-label={`Play ${title}`}
          onClick={() => play(id)}
        >
          <Play aria-hidden /> Play
        </Button>
      </div>
      {result ? (
        <p className={cn('mt-1.5 text-sm', succeeded ? 'font-medium text-destructive-text' : 'text-foreground')}>
          <CitedText>{result.reason}</CitedText>
        </p>
      ) : null}
      {result?.kind === 'blocked' && result.by.length > 0 ? (
        <ControlLinks label="Blocked by" ids={result.by} prefix="Blocked by" className="mt-1.5" />
      ) : null}
      {report && times > 0 ? <AttackStory key={times} report={report} /> : null}
    </li>
  );
}

const ACTORS = ['victim', 'attacker', 'client', 'another service', 'authorization server', 'resource server'];
/** Delay between two shown steps of an attack, in milliseconds. */
const STEP_MS = 700;

/** Shows the steps of an attack one after another. */
function AttackStory({ report: { steps, result } }: { report: ReplayReport }) {
  const shown = useSteps(steps.length);
  const [marked, setMarked] = useState<number | null>(null);
  const succeeded = result.kind === 'succeeded';
  const rows = steps.map((step, index) => ({
    ...step,
    number: index + 1,
    verdict: judgeStep(step.refused, succeeded && index === steps.length - 1),
  }));
  const visible = rows.slice(0, shown);
  return (
    <div className="mt-3 flex flex-col gap-3" aria-live="polite">
      <SequenceDiagram
        label="The attack step by step"
        actors={ACTORS.filter((actor) => steps.some(({ from, to }) => from === actor || to === actor))}
        arrows={visible.map(({ number, exchanges, ...step }) => ({
          key: String(number),
          ...step,
          ...(exchanges.length > 0 ? { onOpen: () => setMarked(number) } : {}),
        }))}
      />
      <ol className="flex flex-col gap-0.5">
        {visible.map(({ number, from, to, text, refused, exchanges, verdict }) => (
          <li key={number} className={cn('rounded-md px-2 py-1.5 text-sm', marked === number && 'bg-primary-soft')}>
            <p>
              <span className="text-xs text-muted-foreground">
                {number}. {from} → {to}
              </span>
              <br />
              {text}
              {refused ? <span className="font-medium text-success-text"> · refused</span> : null}
            </p>
            {exchanges.length > 0 ? (
              <ExchangeList
                exchanges={exchanges}
                verdict={verdict && (verdict === 'good' ? 'passed' : 'failed')}
                key={String(marked === number)}
                initiallyOpen={marked === number}
              />
            ) : null}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Judges a step: a refusal is good; reaching the goal of the attack is bad. */
function judgeStep(refused: boolean, reached: boolean): 'good' | 'bad' | undefined {
  return refused ? 'good' : reached ? 'bad' : undefined;
}

/** Counts up to `total`, or returns it at once if the reader prefers reduced motion. */
function useSteps(total: number): number {
  const [shown, setShown] = useState(1);
  useEffect(() => {
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return setShown(total);
    const timer = setInterval(() => setShown((before) => Math.min(total, before + 1)), STEP_MS);
    return () => clearInterval(timer);
  }, [total]);
  return shown;
}
