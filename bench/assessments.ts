import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLabTarget } from '../lib/oauth/assessment/lab-target';
import { SECURE_CONTROLS } from '../lib/oauth/lab/controls';
import { assessAll } from '../tests/fixtures/assess-all';
import { assessServer, everythingOf } from '../tests/fixtures/assess-server';
import { oidcServer } from '../tests/fixtures/oidc-server';
import { median, table } from './rounds';

const ROUNDS = 5;

/** Measures the whole catalogue, against the lab in this process and against oidc-provider over loopback. */
export async function run(): Promise<string> {
  console.warn = () => undefined;
  const world = { clock: () => performance.now(), random: (length: number) => randomBytes(length), sleep };
  const lab = await timeAssessments(() =>
    assessAll(
      createLabTarget({ origin: 'http://localhost:3000', controls: SECURE_CONTROLS, startAt: Date.now(), ...world }),
      world,
    ),
  );
  await using server = await oidcServer({ consent: 'first-party' });
  const provider = await timeAssessments(async () => {
    const { findings } = await assessServer(everythingOf(server, { cookie: await server.signIn() }));
    return findings;
  });
  return table(
    ['target', 'controls', 'time, median', 'processor time'],
    [
      ['the lab, in process', ...lab],
      ['oidc-provider, signed in, in the same process', ...provider],
    ],
  );
}

/** Returns medians over several assessments, after one that warms up. */
async function timeAssessments(assessment: () => Promise<readonly unknown[]>): Promise<string[]> {
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  const rounds: { wall: number; processor: number }[] = [];
  const { length } = await assessment();
  for (let round = 0; round < ROUNDS; round += 1) {
    const [start, used] = [performance.now(), process.cpuUsage()];
    await assessment();
    const { user, system } = process.cpuUsage(used);
    rounds.push({ wall: performance.now() - start, processor: (user + system) / 1000 });
  }
  const of = (kind: 'wall' | 'processor') => seconds(median(rounds.map((round) => round[kind])));
  return [`${length}`, of('wall'), of('processor')];
}
