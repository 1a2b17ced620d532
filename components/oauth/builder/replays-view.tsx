'use client';

import { Play } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { call } from '@/components/call';
import { explainError } from '@/components/explain-error';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { SourceLinks } from '@/components/oauth/control-labels';
import { ControlLink } from '@/components/oauth/control-link';
import { Disclosure } from '@/components/oauth/disclosure';
import { useLab } from '@/components/oauth/lab-context';
import { ReplayStory } from '@/components/oauth/replays/replay-story';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { playLabReplay } from '@/lib/contract/lab';
import { type Controls, switchedOff } from '@/lib/oauth/lab/controls';
import type { ReplayReport } from '@/lib/oauth/replays/replay';

/** An attack that was played, and the controls that were off. */
interface Played {
  report: ReplayReport;
  off: string;
}

/** Plays attacks against the lab with the given controls. */
function useReplays(controls: Controls) {
  const [played, setPlayed] = useState<Readonly<Record<string, Played>>>({});
  const [playing, setPlaying] = useState<ReadonlySet<string>>(new Set());
  const off = switchedOff(controls);

  const play = async (ids: readonly string[]) => {
    setPlaying(new Set(ids));
    for (const id of ids) {
      try {
        const { value } = await call(playLabReplay, { params: { replay: id }, body: { off } });
        setPlayed((before) => ({ ...before, [id]: { report: value, off: off.join(' ') } }));
      } catch (error) {
        const { title, text } = explainError(error);
        toast.error(title, { description: text });
        break;
      } finally {
        setPlaying((before) => new Set([...before].filter((one) => one !== id)));
      }
    }
    setPlaying(new Set());
  };
  return { played, playing, play, off: off.join(' ') };
}

const RESULTS = {
  blocked: { variant: 'success', text: 'Blocked' },
  succeeded: { variant: 'destructive', text: 'Succeeded' },
  not_played: { variant: 'neutral', text: 'Not played' },
} as const;

function Result({
  played,
  stale,
  onOpenControl,
}: {
  played: Played;
  stale: boolean;
  onOpenControl: (id: string) => void;
}) {
  const { result } = played.report;
  return (
    <div className="mt-2 flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge variant={RESULTS[result.kind].variant}>{RESULTS[result.kind].text}</Badge>
        {result.reason}
        {stale ? <span className="text-xs text-warning-text">Played with other controls. Play it again.</span> : null}
      </p>
      {result.kind === 'blocked' && result.by.length > 0 ? (
        <ul className="flex flex-wrap items-center gap-1.5 text-xs" aria-label="Blocked by">
          <li className="text-muted-foreground">by</li>
          {result.by.map((id) => (
            <li key={id}>
              <ControlLink id={id} onOpen={onOpenControl} />
            </li>
          ))}
        </ul>
      ) : null}
      <Disclosure title="Steps, diagram and exchanges" className="-mx-1.5">
        <ReplayStory report={played.report} />
      </Disclosure>
    </div>
  );
}

/** The ten attacks, each played with real requests against the lab as its switches stand. */
export function ReplaysView({ onOpenControl }: { onOpenControl: (id: string) => void }) {
  const { state } = useBuilder();
  const { replays } = useLab();
  const { played, playing, play, off } = useReplays(state.controls);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-80 text-sm text-muted-foreground">
          Real requests to a sandboxed lab with the current controls. They consume no rate limit.
        </p>
        <Button onClick={() => void play(replays.map(({ id }) => id))} pending={playing.size > 1}>
          <Play aria-hidden /> Play all ten
        </Button>
      </div>
      <ul className="grid items-start gap-3 xl:grid-cols-2">
        {replays.map((replay) => {
          const outcome = played[replay.id];
          return (
            <li key={replay.id} className="min-w-0 rounded-lg border bg-card px-4 py-3 has-aria-expanded:xl:col-span-2">
              <div className="flex items-start justify-between gap-3">
                <div className="min-w-0">
                  <h3 className="text-sm font-semibold">{replay.title}</h3>
                  <p className="mt-0.5 text-sm text-muted-foreground">{replay.story}</p>
                  <p className="mt-1 text-xs text-muted-foreground">
                    <SourceLinks sources={replay.source} />
                  </p>
                </div>
                <Button
                  variant="outline"
                  size="sm"
                  pending={playing.has(replay.id)}
                  aria-label={`Play ${replay.title}`}
                  onClick={() => void play([replay.id])}
                >
                  Play
                </Button>
              </div>
              {outcome ? <Result played={outcome} stale={outcome.off !== off} onOpenControl={onOpenControl} /> : null}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
