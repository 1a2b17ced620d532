import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { compareOutcomes, type Outcomes } from '@/lib/oauth/builder/effect';
import { type ControlSwitch, enableControlsExcept } from '@/lib/oauth/lab/controls';
import { playReplay } from '@/lib/oauth/replays/replay';
import { REPLAYS } from '@/lib/oauth/replays/replays';
import { ORIGIN, START } from './lab-fixture';

const outcomes = (
  verdicts: [string, 'passed' | 'failed'][],
  attacks: [string, 'blocked' | 'succeeded'][],
): Outcomes => ({
  verdicts: new Map(verdicts),
  attacks: new Map(attacks),
});

test('the effect of a change is what is different, and nothing that is not known yet', () => {
  const secure = outcomes(
    [
      ['a', 'passed'],
      ['b', 'passed'],
    ],
    [['x', 'blocked']],
  );
  const weak = outcomes(
    [
      ['a', 'failed'],
      ['c', 'failed'],
    ],
    [['x', 'succeeded']],
  );
  expect(compareOutcomes(secure, weak)).toEqual({ failed: ['a'], fixed: [], succeeding: ['x'], blocked: [] });
  expect(compareOutcomes(weak, secure)).toEqual({ failed: [], fixed: ['a'], succeeding: [], blocked: ['x'] });
  expect(compareOutcomes(secure, outcomes([], []))).toEqual({ failed: [], fixed: [], succeeding: [], blocked: [] });
});

/** The attacks that get through when one control is off. */
async function through(off: ControlSwitch): Promise<string[]> {
  const clock = () => performance.now();
  const random = (length: number) => randomBytes(length);
  const options = { origin: ORIGIN, controls: enableControlsExcept(off), startAt: START, clock, random };
  const reports = await Promise.all(
    REPLAYS.map((replay) => playReplay(replay, createLabTarget(options), { clock, random, sleep })),
  );
  return reports.filter(({ result }) => result.kind === 'succeeded').map(({ replay }) => replay);
}

test('an attack names every switch that lets it through on its own', async () => {
  const succeeded = new Set<string>();
  for (const off of SWITCHES) {
    for (const id of await through(off)) {
      succeeded.add(id);
      expect(REPLAYS.find((replay) => replay.id === id)?.defences, `${id} without ${off}`).toContain(off);
    }
  }
  expect([...succeeded]).toEqual(expect.arrayContaining(['code-interception', 'token-replay', 'mix-up']));
});
