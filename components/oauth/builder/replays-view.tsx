import { Play } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/components/call';
import { toastError } from '@/components/explain-error';
import { ControlLinks } from '@/components/oauth/builder/responses';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { SourceLinks } from '@/components/oauth/control-labels';
import { Disclosure } from '@/components/oauth/disclosure';
import { ExchangeList } from '@/components/oauth/exchange-list';
import { useLab } from '@/components/oauth/lab-context';
import { SequenceDiagram } from '@/components/oauth/sequence-diagram';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { playReplay } from '@/lib/contract/assessments';
import { switchedOff } from '@/lib/oauth/lab/controls';
import type { ReplayReport } from '@/lib/oauth/replays/replay';

/** The attacks, each played with real requests against the lab with its current switches. */
export default function ReplaysView() {
  const off = switchedOff(useBuilder().state.controls);
  const { replays } = useLab();
  const [played, setPlayed] = useState<Readonly<Record<string, { report: ReplayReport; off: string }>>>({});
  const [playing, setPlaying] = useState<readonly string[]>([]);
  const play = async (ids: readonly string[]) => {
    setPlaying(ids);
    try {
      for (const id of ids) {
        const { value: report } = await call(playReplay, { params: { replay: id }, body: { off } });
        setPlayed((before) => ({ ...before, [id]: { report, off: off.join(' ') } }));
        setPlaying((before) => before.filter((other) => other !== id));
      }
    } catch (error) {
      toastError(error);
    } finally {
      setPlaying([]);
    }
  };
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-80 text-sm text-muted-foreground">
          Real requests to a sandboxed lab with the current controls. They consume no rate limit.
        </p>
        <Button onClick={() => void play(replays.map(({ id }) => id))} pending={playing.length > 1}>
          <Play aria-hidden /> Play all ten
        </Button>
      </div>
      <ul className="grid items-start gap-3 xl:grid-cols-2">
        {replays.map(({ id, title, story, source }) => {
          const outcome = played[id];
          return (
            <li key={id} className="min-w-0 rounded-lg border bg-card px-4 py-3 has-aria-expanded:xl:col-span-2">
              <div className="flex items-start justify-between gap-3">
                <div className="min-w-0">
                  <h3 className="text-sm font-semibold">{title}</h3>
                  <p className="mt-0.5 text-sm text-muted-foreground">{story}</p>
                  <p className="mt-1 text-xs text-muted-foreground">
                    <SourceLinks sources={source} />
                  </p>
                </div>
                <Button
                  variant="outline"
                  size="sm"
                  pending={playing.includes(id)}
                  aria-label={`Play ${title}`}
                  onClick={() => void play([id])}
                >
                  Play
                </Button>
              </div>
              {outcome ? <Outcome report={outcome.report} stale={outcome.off !== off.join(' ')} /> : null}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const RESULTS = {
  blocked: { variant: 'success', text: 'Blocked' },
  succeeded: { variant: 'destructive', text: 'Succeeded' },
  not_played: { variant: 'neutral', text: 'Not played' },
} as const;

/** `stale`: it was played with other controls than the current ones. */
function Outcome({ report, stale }: { report: ReplayReport; stale: boolean }) {
  const { result } = report;
  const { variant, text } = RESULTS[result.kind];
  const blockers = result.kind === 'blocked' ? result.by : [];
  return (
    <div className="mt-2 flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge variant={variant}>{text}</Badge>
        {result.reason}
        {stale ? <span className="text-xs text-warning-text">Played with other controls. Play it again.</span> : null}
      </p>
      {blockers.length > 0 ? <ControlLinks label="Blocked by" ids={blockers} prefix="by" /> : null}
      <Disclosure title="Steps, diagram and exchanges" className="-mx-1.5">
        <ReplayStory report={report} />
      </Disclosure>
    </div>
  );
}

const ACTORS = ['victim', 'attacker', 'client', 'another service', 'authorization server', 'resource server'];

function ReplayStory({ report: { replay, steps } }: { report: ReplayReport }) {
  const [marked, setMarked] = useState<string | null>(null);
  const rows = steps.map((step, index) => ({ ...step, id: `replay-${replay}-${index}`, number: index + 1 }));
  const open = (id: string) => {
    setMarked(id);
    document.getElementById(id)?.scrollIntoView({ block: 'center' });
  };
  return (
    <div className="flex flex-col gap-4">
      <SequenceDiagram
        label="The attack step by step"
        actors={ACTORS.filter((actor) => steps.some(({ from, to }) => from === actor || to === actor))}
        arrows={rows.map(({ id, exchanges, ...step }) => {
          return { key: id, ...step, onOpen: exchanges.length > 0 ? () => open(id) : undefined };
        })}
      />
      <ol className="flex flex-col gap-1">
        {rows.map(({ id, number, from, to, text, refused, exchanges }) => (
          <li key={id} id={id} className={cn('rounded-md px-2 py-1.5 text-sm', marked === id && 'bg-primary-soft')}>
            <p>
              <span className="text-xs text-muted-foreground">
                {number}. {from} → {to}
              </span>
              <br />
              {text}
              {refused ? <span className="font-medium text-success-text"> · refused</span> : null}
            </p>
            {exchanges.length > 0 ? <ExchangeList exchanges={exchanges} /> : null}
          </li>
        ))}
      </ol>
    </div>
  );
}
