import { ScrollBox } from '@/components/oauth/safe-text';
import { cn } from '@/components/ui/cn';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

export interface Arrow {
  key: string;
  from: string;
  to: string;
  text: string;
  /** True if the message was refused or is a refusal. */
  refused?: boolean;
  /** Effect on the operator of the server: good or bad. Neutral by default. */
  verdict?: 'good' | 'bad';
  /** True for an answer, false for a request. */
  answer?: boolean;
  /** Turns the arrow into a button. */
  onOpen?: () => void;
}

/** Minimum width of an actor's lane, in rem. */
const LANE_REM = 5;

/** Sequence diagram from top to bottom, with a lane for each actor. */
export function SequenceDiagram(diagram: { label: string; actors: readonly string[]; arrows: readonly Arrow[] }) {
  const { label, actors, arrows } = diagram;
  return (
    <ScrollBox label={label} className="bg-card">
      <div className="relative mx-auto max-w-3xl pb-3 text-xs" style={{ minWidth: `${actors.length * LANE_REM}rem` }}>
        <div className="flex items-end pt-2 pb-1.5">
          {actors.map((actor, lane) => (
            <span key={actor} className="flex-1 px-1 text-center leading-4 font-semibold first-letter:uppercase">
              {actor}
              <span
                aria-hidden
                className="absolute top-11 bottom-2 border-l border-dashed"
                style={{ left: `${(100 * (lane + 0.5)) / actors.length}%` }}
              />
            </span>
          ))}
        </div>
        {arrows.map(({ key, onOpen, ...arrow }) =>
          onOpen ? (
            <button
              key={key}
              type="button"
              className="relative block w-full rounded-sm hover:bg-accent/70 focus-visible:-outline-offset-2"
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

const VERDICTS = { good: 'text-success-text', bad: 'text-destructive-text' };

/** Arrow between two lanes with its label above. A message to the same actor is a loop with the label next to it. */
function LabelledArrow(arrow: Omit<Arrow, 'key' | 'onOpen'> & { actors: readonly string[] }) {
  const { from, to, text, refused, verdict, answer, actors } = arrow;
  // An actor without a lane is drawn in the first one.
  const start = Math.max(0, actors.indexOf(from));
  const end = Math.max(0, actors.indexOf(to));
  const lane = 100 / actors.length;
  const loop = start === end;
  const colour = verdict && VERDICTS[verdict];
  const left = `${(Math.min(start, end) + 0.5) * lane}%`;
  const label = (
    <span className={cn('leading-3.5 wrap-anywhere', loop ? 'text-left' : 'px-1 text-center text-balance', colour)}>
      <span className="sr-only">
        {from} to {to}:{' '}
      </span>
      {escapeInvisibleCharacters(text).slice(0, 160)}
      {refused ? <span className="sr-only">, refused</span> : null}
    </span>
  );
  const line = cn(answer ? 'text-muted-foreground' : 'text-primary', colour);
  if (loop) {
    return (
      <span className="flex items-center gap-1.5 pt-1.5 pb-1" style={{ marginLeft: left }}>
        <svg aria-hidden width={26} height={24} className={cn('shrink-0 fill-none stroke-current stroke-[1.5]', line)}>
          <path d="M0 4 h24 v14 h-18" />
          <path d="M3 18 l7 -4 v8 z" className="fill-current stroke-none" />
        </svg>
        {label}
      </span>
    );
  }
  return (
    <span
      className="flex flex-col gap-1 pt-2 pb-1"
      style={{ marginLeft: left, width: `${Math.abs(end - start) * lane}%` }}
    >
      {label}
      <span aria-hidden className={cn('relative h-3', line, start > end && 'rotate-180')}>
        <span
          className={cn('absolute inset-x-0 top-1/2 -mt-px border-t-[1.5px] border-current', answer && 'border-dashed')}
        />
        <svg aria-hidden width={8} height={12} className="absolute right-0 fill-current">
          <path d="M8 6 l-8 -4 v8 z" />
        </svg>
        {refused ? (
          <svg aria-hidden width={12} height={12} className="absolute left-1/2 -ml-1.5 stroke-current stroke-2">
            <path d="M1 1 l10 10 m0 -10 l-10 10" />
          </svg>
        ) : null}
      </span>
    </span>
  );
}
