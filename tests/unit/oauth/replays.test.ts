import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { type Controls, enableControlsExcept, isControlSwitch, SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { playReplay } from '@/lib/oauth/replays/replay';
import { REPLAYS } from '@/lib/oauth/replays/replays';
import { ORIGIN, START } from './lab-fixture';

const clock = () => performance.now();
const random = (length: number) => randomBytes(length);
const play = (id: string, controls: Controls) => {
  const replay = REPLAYS.find((one) => one.id === id)!;
  return playReplay(replay, createLabTarget({ origin: ORIGIN, controls, startAt: START, clock, random }), {
    clock,
    random,
    sleep,
  });
};

describe.each(REPLAYS.map((replay) => [replay.id, replay] as const))('%s', (id, replay) => {
  test('is blocked by its controls where everything is on', async () => {
    const { result, steps } = await play(id, SECURE_CONTROLS);
    expect(result.kind).toBe('blocked');
    const by = result.kind === 'blocked' ? result.by : [];
    expect(by.length).toBeGreaterThan(0);
    const known = CATALOGUE.map((control) => control.id);
    expect(by.filter((control) => !known.includes(control))).toEqual([]);
    expect(by.filter((control) => replay.defences.includes(control)).length).toBeGreaterThan(0);
    expect(steps.some((step) => step.refused)).toBe(true);
    expect(steps.some((step) => step.exchanges.length > 0)).toBe(true);
  });

  test('succeeds where nothing but its defences is off', async () => {
    const off = replay.defences.filter(isControlSwitch);
    expect((await play(id, enableControlsExcept(...off))).result.kind).toBe('succeeded');
  });

  test('succeeds where everything is off', async () => {
    expect((await play(id, enableControlsExcept(...SWITCHES))).result.kind).toBe('succeeded');
  });
});

test('a control that is off is never named', async () => {
  for (const replay of REPLAYS) {
    for (const off of replay.defences.filter(isControlSwitch)) {
      const { result } = await play(replay.id, enableControlsExcept(off));
      if (result.kind === 'blocked') expect(result.by, `${replay.id} without ${off}`).not.toContain(off);
    }
  }
});
