import { ScrollBox } from '@/components/oauth/exchange/scroll-box';
import { cn } from '@/components/ui/cn';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** One arrow of a sequence diagram. */
export interface Arrow {
  key: string;
  from: string;
  to: string;
  text: string;
  /** It was refused, or carries a refusal. */
  refused?: boolean;
  /** An answer rather than a request. */
  answer?: boolean;
  /** What a click on it leads to. */
  onOpen?: () => void;
}

const LANE = 190;
const HEAD = 40;
const LINE = 14;

/** A label in lines that fit between its actors. An actor without a lane uses the first. */
function linesOf(text: string, lanes: number): string[] {
  const room = Math.max(24, Math.floor(lanes * 26));
  const lines: string[] = [];
  for (const word of visibleText(text).slice(0, 160).split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word.slice(0, 40));
  }
  return lines;
}

/** The arrows with the lines of their labels and where they stand. */
function layOut(arrows: readonly Arrow[], lane: (actor: string) => number) {
  let y = HEAD;
  return arrows.map((arrow) => {
    const [from, to] = [lane(arrow.from), lane(arrow.to)];
    const lines = linesOf(arrow.text, from === to ? 1.4 : Math.abs(to - from));
    const top = y;
    y += 30 + lines.length * LINE;
    return { arrow, from: (from + 0.5) * LANE, to: (to + 0.5) * LANE, lines, top, bottom: y };
  });
}

function Label({
  x,
  y,
  lines,
  anchor,
  refused,
}: {
  x: number;
  y: number;
  lines: string[];
  anchor: 'start' | 'middle';
  refused: boolean;
}) {
  return (
    <text textAnchor={anchor} className={cn('text-xs', refused ? 'fill-destructive-text' : 'fill-foreground')}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one label never move
        <tspan key={index} x={x} y={y + index * LINE}>
          {`${line} `}
        </tspan>
      ))}
    </text>
  );
}

function Line({ row }: { row: ReturnType<typeof layOut>[number] }) {
  const { arrow, from, to, lines, top, bottom } = row;
  const refused = arrow.refused === true;
  const colour = refused ? 'text-destructive-text' : arrow.answer ? 'text-muted-foreground' : 'text-primary';
  const dashes = arrow.answer ? '4 3' : undefined;
  const y = bottom - 10;
  if (from === to) {
    return (
      <g className={colour}>
        <path d={`M${from} ${y - 14} h24 v14 h-18`} fill="none" stroke="currentColor" strokeWidth={1.5} />
        <path d={`M${from + 3} ${y} l7 -4 v8 z`} fill="currentColor" />
        <Label
          x={from + 32}
          y={y - 2 - (lines.length - 1) * (LINE / 2)}
          lines={lines}
          anchor="start"
          refused={refused}
        />
      </g>
    );
  }
  const turn = to > from ? 1 : -1;
  const middle = (from + to) / 2;
  return (
    <g className={colour}>
      <path
        d={`M${from} ${y} H${to - 3 * turn}`}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeDasharray={dashes}
      />
      <path d={`M${to - 3 * turn} ${y} l${-7 * turn} -4 v8 z`} fill="currentColor" />
      {refused ? (
        <path d={`M${middle - 5} ${y - 5} l10 10 m0 -10 l-10 10`} stroke="currentColor" strokeWidth={2} />
      ) : null}
      <Label x={middle} y={top + 16} lines={lines} anchor="middle" refused={refused} />
    </g>
  );
}

/** Who sends what to whom, from top to bottom. Arrows that lead somewhere are buttons. */
export function SequenceDiagram({
  label,
  actors,
  arrows,
}: {
  label: string;
  actors: readonly string[];
  arrows: readonly Arrow[];
}) {
  const rows = layOut(arrows, (actor) => Math.max(0, actors.indexOf(actor)));
  const width = actors.length * LANE;
  const height = (rows.at(-1)?.bottom ?? HEAD) + 12;
  return (
    <ScrollBox label={label} className="bg-card">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} className="mx-auto block">
        <title>{label}</title>
        {actors.map((actor, index) => (
          <g key={actor}>
            <path
              d={`M${(index + 0.5) * LANE} ${HEAD - 6} V${height - 8}`}
              className="stroke-border"
              strokeDasharray="2 4"
            />
            <text x={(index + 0.5) * LANE} y={22} textAnchor="middle" className="fill-foreground text-xs font-semibold">
              {actor.charAt(0).toUpperCase() + actor.slice(1)}
            </text>
          </g>
        ))}
        {rows.map((row) => {
          const { arrow, lines } = row;
          const name = `${arrow.from} to ${arrow.to}: ${lines.join(' ')}${arrow.refused ? ', refused' : ''}`;
          const { onOpen } = arrow;
          if (!onOpen) {
            return (
              <g key={arrow.key}>
                <title>{name}</title>
                <Line row={row} />
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
              className="cursor-pointer outline-none hover:[&>rect]:fill-accent focus-visible:[&>rect]:stroke-ring"
              onClick={onOpen}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' && event.key !== ' ') return;
                event.preventDefault();
                onOpen();
              }}
            >
              <rect
                x={4}
                y={row.top + 2}
                width={width - 8}
                height={row.bottom - row.top - 2}
                rx={4}
                fill="transparent"
                strokeWidth={2}
              />
              <Line row={row} />
            </g>
          );
        })}
      </svg>
    </ScrollBox>
  );
}
