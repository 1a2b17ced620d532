import type { KeyboardEvent } from 'react';
import { ScrollBox } from '@/components/oauth/safe-text';
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
  /** Makes it a button. */
  onOpen?: () => void;
}

/** Pixels: the width of an actor's lane, the height of the head, the height of a line of text. */
const LANE = 190;
const HEAD = 40;
const LINE = 14;

interface SequenceDiagramProps {
  label: string;
  actors: readonly string[];
  arrows: readonly Arrow[];
}

/** Who sends what to whom, from top to bottom. Arrows with `onOpen` are buttons. */
export function SequenceDiagram({ label, actors, arrows }: SequenceDiagramProps) {
  const rows = layOut(arrows, actors);
  const width = actors.length * LANE;
  const height = (rows.at(-1)?.bottom ?? HEAD) + 12;
  return (
    <ScrollBox label={label} className="bg-card">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} className="mx-auto block">
        <title>{label}</title>
        {actors.map((actor, lane) => (
          <g key={actor}>
            <path d={`M${centreOf(lane)} ${HEAD - 6} V${height - 8}`} className="stroke-border" strokeDasharray="2 4" />
            <text x={centreOf(lane)} y={22} textAnchor="middle" className="fill-foreground text-xs font-semibold">
              {actor.charAt(0).toUpperCase() + actor.slice(1)}
            </text>
          </g>
        ))}
        {rows.map((row) => (
          <Row key={row.arrow.key} row={row} width={width} />
        ))}
      </svg>
    </ScrollBox>
  );
}

const centreOf = (lane: number) => (lane + 0.5) * LANE;

/** The arrows with the lines of their labels and where they stand. An actor without a lane uses the first. */
function layOut(arrows: readonly Arrow[], actors: readonly string[]) {
  let y = HEAD;
  return arrows.map((arrow) => {
    const from = Math.max(0, actors.indexOf(arrow.from));
    const to = Math.max(0, actors.indexOf(arrow.to));
    const lines = wrap(arrow.text, from === to ? 1.4 : Math.abs(to - from));
    const top = y;
    y += 30 + lines.length * LINE;
    return { arrow, from: centreOf(from), to: centreOf(to), lines, top, bottom: y };
  });
}

/** A label in lines that fit a number of lanes. */
function wrap(text: string, lanes: number): string[] {
  const room = Math.max(24, Math.floor(lanes * 26));
  const lines: string[] = [];
  for (const word of visibleText(text).slice(0, 160).split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word.slice(0, 40));
  }
  return lines;
}

type LaidOutRow = ReturnType<typeof layOut>[number];

function Row({ row, width }: { row: LaidOutRow; width: number }) {
  const { from, to, refused, onOpen } = row.arrow;
  const name = `${from} to ${to}: ${row.lines.join(' ')}${refused ? ', refused' : ''}`;
  const button = onOpen && {
    role: 'button',
    tabIndex: 0,
    'aria-label': name,
    className: 'cursor-pointer outline-none hover:[&>rect]:fill-accent focus-visible:[&>rect]:stroke-ring',
    onClick: onOpen,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      onOpen();
    },
  };
  const { top, bottom } = row;
  return (
    <g {...button}>
      {button ? (
        <rect
          x={4}
          y={top + 2}
          width={width - 8}
          height={bottom - top - 2}
          rx={4}
          className="fill-transparent stroke-2"
        />
      ) : (
        <title>{name}</title>
      )}
      <ArrowWithLabel row={row} />
    </g>
  );
}

/** The arrow (a loop when an actor sends something to itself), crossed out if it was refused, and its label. */
function ArrowWithLabel({ row: { arrow, from, to, lines, top, bottom } }: { row: LaidOutRow }) {
  const { refused, answer } = arrow;
  const y = bottom - 10;
  const loop = from === to;
  const direction = to > from ? 1 : -1;
  const tip = to - 3 * direction;
  const middle = (from + to) / 2;
  const label = loop
    ? { x: from + 32, y: y - 2 - (lines.length - 1) * (LINE / 2), anchor: 'start' as const }
    : { x: middle, y: top + 16, anchor: 'middle' as const };
  return (
    <g className={refused ? 'text-destructive-text' : answer ? 'text-muted-foreground' : 'text-primary'}>
      <path
        d={loop ? `M${from} ${y - 14} h24 v14 h-18` : `M${from} ${y} H${tip}`}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeDasharray={answer ? '4 3' : undefined}
      />
      <path d={loop ? `M${from + 3} ${y} l7 -4 v8 z` : `M${tip} ${y} l${-7 * direction} -4 v8 z`} fill="currentColor" />
      {refused && !loop ? (
        <path d={`M${middle - 5} ${y - 5} l10 10 m0 -10 l-10 10`} stroke="currentColor" strokeWidth={2} />
      ) : null}
      <text textAnchor={label.anchor} className={cn('text-xs', refused ? 'fill-destructive-text' : 'fill-foreground')}>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one label never move
          <tspan key={index} x={label.x} y={label.y + index * LINE}>
            {`${line} `}
          </tspan>
        ))}
      </text>
    </g>
  );
}
