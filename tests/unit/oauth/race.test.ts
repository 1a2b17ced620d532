import { expect, test } from 'vitest';
import { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import type { TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import { Probe } from '@/lib/oauth/assessment/probe';
import { Sender, SharedState } from '@/lib/oauth/assessment/sender';
import { repeatRace } from '@/lib/oauth/controls/race';
import { smallServer } from '@/tests/fixtures/small-server';

const exchange = {
  label: '',
  request: { method: 'POST', url: 'https://small.example/token', headers: [], body: '' },
  response: { status: 200, headers: [], body: '' },
  startedAt: 0,
  durationMs: 1,
};
const tokens = { accessToken: 'a', refreshToken: null, idToken: null, expiresIn: null, scope: null, type: 'Bearer' };
const ISSUED: TokenOutcome = { kind: 'issued', tokens, exchange };
const REFUSED: TokenOutcome = { kind: 'refused', status: 400, error: 'invalid_grant', exchange };
const FAILED: TokenOutcome = {
  kind: 'refused',
  status: 500,
  error: null,
  exchange: { ...exchange, response: { status: 500, headers: [], body: '' } },
};

/** Runs races in which so many requests are answered with tokens, and so many of the tokens work in each race. */
function run(
  issued: number,
  winnersOf: (race: number) => number,
  { other = REFUSED, fault = null as string | null } = {},
) {
  const target = smallServer();
  const world = { clock: () => 0, sleep: async () => {}, random: (length: number) => new Uint8Array(length) };
  const shared = new SharedState(target, world, new EvidenceSecrets(target));
  let race = 0;
  return repeatRace(new Probe(target, new Sender(shared)), {
    races: 4,
    fault,
    async start() {
      race += 1;
      let sent = 0;
      return async () => (sent++ < issued ? ISSUED : other);
    },
    countWinners: async () => winnersOf(race),
  });
}

test('a race is repeated until it is lost', async () => {
  expect(await run(1, () => 1)).toEqual({ count: 4, winners: 1 });
  expect(await run(2, (race) => (race === 3 ? 2 : 1))).toEqual({ count: 3, winners: 2 });
});

test('a race that was nearly lost is repeated more often', async () => {
  expect(await run(2, () => 1)).toEqual({ count: 12, winners: 1 });
  expect(await run(2, (race) => (race === 11 ? 2 : 1))).toEqual({ count: 11, winners: 2 });
});

test('faults are refusals only if the server refuses a single request so', async () => {
  expect(await run(1, () => 1, { other: FAILED, fault: '500 null' })).toEqual({ count: 4, winners: 1 });
  await expect(run(1, () => 1, { other: FAILED })).rejects.toThrow('few requests were answered');
});
