import { ScrollBox } from '@/components/oauth/exchange/scroll-box';
import { cn } from '@/components/ui/cn';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** One arrow of a sequence diagram. */
export interface Arrow {
  key: string;
  from: string;
  to: string;
  text: string;
  /** It was turned down, or carries a refusal. */
  refused?: boolean;
  /** An answer rather than a request. */
  answer?: boolean;
  /** What a click on it leads to. */
  onOpen?: () => void;
}

const LANE = 190;
const ROW = 44;
const HEAD = 40;

function clipped(text: string, lanes: number): string {
  const room = Math.max(26, lanes * 27);
  const safe = visibleText(text);
  return safe.length > room ? `${safe.slice(0, room - 1)}…` : safe;
}

function Line({ arrow, from, to, y }: { arrow: Arrow; from: number; to: number; y: number }) {
  const colour = arrow.refused ? 'text-destructive-text' : arrow.answer ? 'text-muted-foreground' : 'text-primary';
  const self = from === to;
  const tip = self ? from : to + (to > from ? -3 : 3);
  const path = self ? `M${from} ${y - 8} h26 v14 h-20` : `M${from} ${y} H${tip}`;
  const end = self ? { x: from + 5, y: y + 6, turn: 180 } : { x: tip, y, turn: to > from ? 0 : 180 };
  return (
    <g className={colour}>
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeDasharray={arrow.answer ? '4 3' : undefined}
      />
      <path d="M0 0 l-7 -4 v8 z" fill="currentColor" transform={`translate(${end.x} ${end.y}) rotate(${end.turn})`} />
      <text
        x={self ? from + 34 : (from + to) / 2}
        y={self ? y + 3 : y - 7}
        textAnchor={self ? 'start' : 'middle'}
        className={cn('text-xs', arrow.refused ? 'fill-destructive-text' : 'fill-foreground')}
      >
        {arrow.refused ? '✕ ' : ''}
        {clipped(arrow.text, self ? 1.5 : Math.abs(to - from) / LANE)}
      </text>
    </g>
  );
}

/** Who sends what to whom, from top to bottom. Arrows that lead somewhere are links. */
export function SequenceDiagram({
  label,
  actors,
  arrows,
}: {
  label: string;
  actors: readonly string[];
  arrows: readonly Arrow[];
}) {
  const width = actors.length * LANE;
  const height = HEAD + arrows.length * ROW + 16;
  const centre = (actor: string) => (Math.max(0, actors.indexOf(actor)) + 0.5) * LANE;
  return (
    <ScrollBox label={label} className="bg-card">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} className="mx-auto block">
        <title>{label}</title>
        {actors.map((actor) => (
          <g key={actor}>
            <line
              x1={centre(actor)}
              x2={centre(actor)}
              y1={HEAD - 6}
              y2={height - 8}
              className="stroke-border"
              strokeDasharray="2 4"
            />
            <text
              x={centre(actor)}
              y={22}
              textAnchor="middle"
              className="fill-foreground text-xs font-medium capitalize"
            >
              {actor}
            </text>
          </g>
        ))}
        {arrows.map((arrow, index) => {
          const line = (
            <Line arrow={arrow} from={centre(arrow.from)} to={centre(arrow.to)} y={HEAD + index * ROW + 28} />
          );
          const name = `${arrow.from} to ${arrow.to}: ${visibleText(arrow.text)}${arrow.refused ? ', refused' : ''}`;
          if (!arrow.onOpen) {
            return (
              <g key={arrow.key}>
                <title>{name}</title>
                {line}
              </g>
            );
          }
          return (
            // biome-ignore lint/a11y/useSemanticElements: a picture has no buttons of HTML
            <g
              key={arrow.key}
              role="button"
              tabIndex={0}
              aria-label={name}
              className="cursor-pointer outline-none focus-visible:[&_rect]:stroke-ring hover:[&_rect]:fill-accent"
              onClick={arrow.onOpen}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' && event.key !== ' ') return;
                event.preventDefault();
                arrow.onOpen?.();
              }}
            >
              <rect
                x={4}
                y={HEAD + index * ROW + 4}
                width={width - 8}
                height={ROW - 4}
                rx={4}
                fill="transparent"
                strokeWidth={2}
              />
              {line}
            </g>
          );
        })}
      </svg>
    </ScrollBox>
  );
}
