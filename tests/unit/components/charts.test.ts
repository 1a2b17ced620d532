import { readFileSync } from 'node:fs';
import type { KeyboardEvent } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { chooseTimeTicks, formatStep, formatTick, nameStep } from '@/components/chart/axes';
import { buildSliderProps } from '@/components/chart/keyboard-choice';
import { findActiveHref } from '@/components/shell/navigation';
import { table } from '../../fixtures/table';

const NOON = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;

describe('the time axis, in UTC', () => {
  it('shows the clock for up to two days, else the day', () => {
    expect(formatTick(NOON, 2 * DAY, 'UTC')).toBe('12:00');
    expect(formatTick(NOON, 2 * DAY + 1, 'UTC')).toBe('20 Nov');
  });

  it('says when a step begins and ends', () => {
    expect(formatStep(NOON, 60_000, 'UTC')).toBe('20 Nov 12:00–12:01 UTC');
    expect(formatStep(NOON + DAY / 2 - 300_000, 300_000, 'UTC')).toBe('20 Nov 23:55–00:00 UTC');
    expect(formatStep(Date.UTC(2026, 10, 20), DAY, 'UTC')).toBe('20 Nov UTC');
    expect(formatStep(Date.UTC(2026, 2, 29), 7 * DAY, 'UTC')).toBe('29 Mar UTC');
  });
});

describe('the ticks of the time axis', () => {
  const MINUTE = 60_000;
  const clocks = (from: number, count: number, step: number, zone = 'UTC') => {
    const points = Array.from({ length: count }, (_, index) => ({ at: from + index * step }));
    return chooseTimeTicks(points, step, zone).map((index) => formatTick(points[index]!.at, count * step, zone));
  };

  it('are at round times, whenever the axis begins', () => {
    const hour = ['11:20', '11:30', '11:40', '11:50', '12:00', '12:10'];
    expect(clocks(NOON - 43 * MINUTE, 60, MINUTE)).toEqual(hour);
    expect(clocks(NOON - 50 * MINUTE, 60, MINUTE)).toEqual(['11:10', ...hour.slice(0, 5)]);
    expect(clocks(NOON - 13 * MINUTE, 15, MINUTE)).toEqual([
      '11:48',
      '11:50',
      '11:52',
      '11:54',
      '11:56',
      '11:58',
      '12:00',
    ]);
    expect(clocks(NOON - DAY + 30 * MINUTE, 48, 30 * MINUTE)).toEqual([
      '16:00',
      '20:00',
      '00:00',
      '04:00',
      '08:00',
      '12:00',
    ]);
    expect(clocks(NOON - DAY, 48, 30 * MINUTE, 'Asia/Kolkata')).toEqual([
      '20:00',
      '00:00',
      '04:00',
      '08:00',
      '12:00',
      '16:00',
    ]);
  });

  it('never are more than seven, and the unit is the length of a bar', () => {
    for (const [count, step] of [
      [15, MINUTE],
      [60, MINUTE],
      [90, MINUTE],
      [48, 30 * MINUTE],
      [56, 180 * MINUTE],
      [30, DAY],
    ] as const) {
      for (let shift = 0; shift < 24; shift += 1) {
        const ticks = clocks(NOON - (NOON % DAY) + shift * step, count, step);
        expect(ticks.length, `${count} steps of ${step}`).toBeGreaterThanOrEqual(3);
        expect(ticks.length).toBeLessThanOrEqual(7);
      }
    }
    expect([MINUTE, 30 * MINUTE, 180 * MINUTE, DAY].map(nameStep)).toEqual(['minute', '30 min', '3 h', 'day']);
  });
});

describe('the bars of a chart, by keyboard', () => {
  const points = [0, 1, 2].map((n) => ({ at: NOON + n * 60_000, values: {} }));

  /** What a key does while a bar is chosen: chosen is the new bar, picked is the time that is asked for. */
  function press(pressed: string, index: number | null) {
    const [choose, select, preventDefault] = [vi.fn(), vi.fn(), vi.fn()];
    const props = buildSliderProps({
      points,
      sums: [5, 0, 7],
      zone: 'UTC',
      step: 60_000,
      label: 'Refusals',
      noun: 'decisions',
      index,
      choose,
      select,
    });
    props.onKeyDown({ key: pressed, preventDefault } as unknown as KeyboardEvent);
    return {
      chosen: choose.mock.calls[0]?.[0],
      picked: select.mock.calls[0]?.[0],
      taken: preventDefault.mock.calls.length > 0,
    };
  }

  it.each([
    ['ArrowRight', null, 0],
    ['ArrowLeft', null, 2],
    ['ArrowRight', 1, 2],
    ['ArrowRight', 2, 2],
    ['ArrowLeft', 0, 0],
    ['Home', 2, 0],
    ['End', 0, 2],
    ['Escape', 1, null],
  ])('%s at %s chooses %s', (pressed, index, chosen) => {
    expect(press(pressed, index)).toEqual({ chosen, picked: undefined, taken: true });
  });

  it.each(['Enter', ' '])('%j picks the bar that is chosen, and nothing where none is', (pressed) => {
    expect(press(pressed, 1).picked).toBe(NOON + 60_000);
    expect(press(pressed, null)).toEqual({ chosen: undefined, picked: undefined, taken: false });
  });

  it('leaves every other key to the browser', () => {
    expect(press('Tab', 1)).toEqual({ chosen: undefined, picked: undefined, taken: false });
  });

  it('is read out as a time and a count', () => {
    const words = (index: number | null, noun = 'decisions') =>
      buildSliderProps({
        noun,
        points,
        sums: [5, 0, 7],
        zone: 'UTC',
        step: 60_000,
        label: 'x',
        index,
        choose: () => {},
        select: () => {},
      })['aria-valuetext'];
    expect(words(2)).toBe('20 Nov 12:02–12:03 UTC, 7 decisions');
    expect(words(2, 'tokens')).toBe('20 Nov 12:02–12:03 UTC, 7 tokens');
    expect(words(null)).toBe('nothing chosen');
    expect(words(9)).toBe('nothing chosen');
  });
});

describe('the page that the navigation marks', () => {
  table('on %s it is %s', findActiveHref, [
    ['/', '/'],
    ['/limits', '/limits'],
    ['/limits/inspect', '/limits/inspect'],
    ['/keys/0198c0de', '/keys'],
    ['/keyserver', undefined],
    ['/oauth/assessments', '/oauth/assessments'],
    ['/oauth/callback', '/oauth'],
    ['/docs/allowlist', '/docs'],
    ['/nowhere', undefined],
  ]);
});

/** Relative luminance (WCAG 2.2) of an OKLCH colour such as `0.65 0.06 215`, by the matrices of CSS Color 4. */
function computeLuminance(oklch: string): number {
  const [lightness = 0, chroma = 0, hue = 0] = oklch.split(' ').map(Number);
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channel = (value: number) => Math.min(1, Math.max(0, value));
  const red = channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('the colours of charts', () => {
  const styles = readFileSync('app/globals.css', 'utf8');
  const colours = Object.fromEntries(
    [...styles.matchAll(/--color-([\w-]+): light-dark\(oklch\(([\d. ]+)\), oklch\(([\d. ]+)\)\)/g)].map(
      ([, name = '', light = '', dark = '']) => [name, { light, dark }],
    ),
  );
  const series = Object.keys(colours).filter((name) => name.startsWith('chart-'));

  it('are found', () => expect(series).toContain('chart-allowed'));

  // WCAG 2.2, 1.4.11: graphics need a contrast of 3 to 1.
  it.each(series)('%s stands out from a card in both themes', (name) => {
    for (const theme of ['light', 'dark'] as const) {
      const [low = 0, high = 0] = [name, 'card']
        .map((colour) => computeLuminance(colours[colour]?.[theme] ?? ''))
        .sort((left, right) => left - right);
      expect((high + 0.05) / (low + 0.05), theme).toBeGreaterThanOrEqual(3);
    }
  });
});
