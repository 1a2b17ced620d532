import type { KeyboardEvent } from 'react';
import { formatStep } from '@/components/chart/axes';
import type { ChartPoint } from '@/components/chart/series';
import { formatNumber } from '@/lib/format-number';

interface KeyboardChoice {
  points: readonly ChartPoint[];
  /** Height of each bar. */
  sums: readonly number[];
  /** Length of a step, in milliseconds. */
  step: number;
  /** Time zone for announcing the time of a bar. */
  zone: string;
  label: string;
  /** Noun of what the bars count, in the plural. */
  noun: string;
  hint?: string;
  /** Index of the chosen bar. */
  index: number | null;
  choose: (index: number | null) => void;
  select: (at: number) => void;
}

/**
 * Turns the bars into a slider. Arrow keys, the Home key and the End key move between bars. Enter and space select one,
 * Escape clears the choice.
 */
export function buildSliderProps(choice: KeyboardChoice) {
  const { points, sums, step, zone, label, noun, index, choose, select } = choice;
  const { hint = 'Enter narrows the list to the chosen time.' } = choice;
  const last = points.length - 1;
  const at = index === null ? undefined : points[index];
  const moves: Record<string, number | null> = {
    ArrowLeft: Math.max(0, (index ?? last + 1) - 1),
    ArrowRight: Math.min(last, (index ?? -1) + 1),
    Home: 0,
    End: last,
    Escape: null,
  };
  return {
    role: 'slider',
    tabIndex: 0,
    'aria-label': `${label}. ${hint}`,
    'aria-valuemin': 0,
    'aria-valuemax': last,
    'aria-valuenow': index ?? last,
    'aria-valuetext':
      at === undefined
        ? 'nothing chosen'
        : `${formatStep(at.at, step, zone)}, ${formatNumber(sums[index ?? 0] ?? 0)} ${noun}`,
    onBlur: () => choose(null),
    onKeyDown: (event: KeyboardEvent) => {
      const move = moves[event.key];
      if (move !== undefined) choose(move);
      else if ((event.key === 'Enter' || event.key === ' ') && at !== undefined) select(at.at);
      else return;
      event.preventDefault();
    },
  } as const;
}
