import { ScrollBox } from '@/components/oauth/safe-text';
import { cn } from '@/components/ui/cn';
import { visibleText } from '@/lib/oauth/builder/visible-text';

export interface Arrow {
  key: string;
  from: string;
  to: string;
  text: string;
  /** It was refused, or carries a refusal. */
  refused?: boolean;
  /** An answer rather than a request. */
  answer?: boolean;
  /** Makes it a button. */
  onOpen?: () => void;
}

/** The width of an actor's lane in pixels. */
const LANE = 190;
const centreOf = (lane: number) => (lane + 0.5) * LANE;

/** Who sends what to whom, from top to bottom, with a lane for each actor. */
export function SequenceDiagram(diagram: { label: string; actors: readonly string[]; arrows: readonly Arrow[] }) {
  const { label, actors, arrows } = diagram;
  const lifeline = 'absolute top-8.5 bottom-2 border-l border-dashed';
  return (
    <ScrollBox label={label} className="bg-card">
      <div className="relative mx-auto pb-3 text-xs" style={{ width: actors.length * LANE }}>
        <div className="flex h-10 items-center">
          {actors.map((actor, lane) => (
            <span key={actor} className="flex-1 text-center font-semibold first-letter:uppercase">
              {actor}
              <span aria-hidden className={lifeline} style={{ left: centreOf(lane) }} />
            </span>
          ))}
        </div>
        {arrows.map(({ key, onOpen, ...arrow }) =>
          onOpen ? (
            <button
              key={key}
              type="button"
              className="relative block w-full rounded-sm hover:bg-accent focus-visible:-outline-offset-2"
              onClick={onOpen}
            >
              <LabelledArrow {...arrow} actors={actors} />
            </button>
          ) : (
            <div key={key} className="relative">
              <LabelledArrow {...arrow} actors={actors} />
            </div>
          ),
        )}
      </div>
    </ScrollBox>
  );
}

/** The label above its arrow between two lanes; beside a loop, when an actor sends something to itself. */
function LabelledArrow(arrow: Omit<Arrow, 'key' | 'onOpen'> & { actors: readonly string[] }) {
  const { from, to, text, refused, answer, actors } = arrow;
  // An actor without a lane uses the first.
  const start = Math.max(0, actors.indexOf(from));
  const end = Math.max(0, actors.indexOf(to));
  const width = Math.abs(end - start) * LANE;
  const loop = width === 0;
  const alarm = refused && 'text-destructive-text';
  const line = 'shrink-0 fill-none stroke-current stroke-[1.5]';
  return (
    <span
      className={cn('flex gap-1.5 pt-1.5 pb-1', loop ? 'flex-row-reverse items-center justify-end' : 'flex-col gap-2')}
      style={{ marginLeft: centreOf(Math.min(start, end)), ...(loop ? {} : { width }) }}
    >
      <span className={cn('px-2.5 leading-3.5 wrap-anywhere', loop ? 'max-w-60 px-0 text-left' : 'text-center', alarm)}>
        <span className="sr-only">
          {from} to {to}:{' '}
        </span>
        {visibleText(text).slice(0, 160)}
        {refused ? <span className="sr-only">, refused</span> : null}
      </span>
      <svg
        aria-hidden
        width={loop ? 26 : width}
        height={loop ? 24 : 12}
        className={cn(line, start > end && 'rotate-180', answer ? 'text-muted-foreground' : 'text-primary', alarm)}
      >
        <path d={loop ? 'M0 4 h24 v14 h-18' : `M0 6 H${width - 3}`} strokeDasharray={answer ? '4 3' : undefined} />
        <path d={loop ? 'M3 18 l7 -4 v8 z' : `M${width - 3} 6 l-7 -4 v8 z`} className="fill-current stroke-none" />
        {refused && !loop ? <path d={`M${width / 2 - 5} 1 l10 10 m0 -10 l-10 10`} className="stroke-2" /> : null}
      </svg>
    </span>
  );
}
