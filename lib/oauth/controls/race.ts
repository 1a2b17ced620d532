import { compareTokens, describeFault } from '@/lib/oauth/assessment/comparison';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { TokenOutcome, Tokens } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe, type ControlVerdict, createFailed, createPassed } from '@/lib/oauth/assessment/verdict';

/** Simultaneous requests of the first race, and of each later one, which is about chance more than about load. */
const RACERS = 20;
const FEWER_RACERS = 6;
/** A race that is lost one time in four is found with a probability of 99.9 % in this many. */
export const RACES = 24;
/** Races if each needs a visit by a person's browser. */
const RACES_OF_PEOPLE = 3;
/** Factor on the races once one was nearly lost: several requests were answered, and what the others got ended again. */
const AFTER_NEAR_LOSS = 3;

/** Result of several races: how many were run, and the winners of the last one. More than one winner ends the series. */
interface Races {
  count: number;
  winners: number;
}

/** A race, and how often it is run at the most. */
interface Race {
  races: number;
  /** Prepares a race. Returns what each racer sends. */
  start: () => Promise<() => Promise<TokenOutcome>>;
  /** The fault by which the server refuses a second request outside a race, or null. */
  fault: string | null;
  /** Counts the winners, of which one is right. */
  countWinners: (issued: readonly Tokens[]) => Promise<number>;
}

/**
 * Repeats a race until it is lost, or until losing it can be ruled out. The evidence keeps the first race and the last.
 * @throws CannotProbe inconclusive if there was no race: no request succeeded, or few overlapped or were answered
 */
export async function repeatRace(probe: Probe, { races, start, fault, countWinners }: Race): Promise<Races> {
  let most = probe.target.capabilities.visit === undefined ? races : RACES_OF_PEOPLE;
  for (let count = 1; count <= most; count++) {
    const from = probe.exchanges.length;
    const racer = await start();
    const racers = count === 1 ? RACERS : FEWER_RACERS;
    const outcomes = await Promise.all(Array.from({ length: racers }, racer));
    const issued = outcomes.flatMap((outcome) => (outcome.kind === 'issued' ? [outcome.tokens] : []));
    const winners = await countWinners(issued);
    if (winners > 1) return { count, winners };
    if (issued.length > 1 && most === races) most *= AFTER_NEAR_LOSS;
    const isRefused = (outcome: TokenOutcome) =>
      compareTokens(outcome).kind === 'refused' || (fault !== null && describeFault(outcome) === fault);
    const refused = outcomes.filter(isRefused);
    const why =
      issued.length === 0
        ? 'no request succeeded'
        : issued.length + refused.length < racers / 2
          ? 'few requests were answered'
          : countOverlapping(outcomes.map(({ exchange }) => exchange)) < racers / 2
            ? 'the requests were sent one after the other'
            : null;
    if (why !== null) throw new CannotProbe('inconclusive', `There was no race: ${why}.`);
    if (count > 1 && count < most) probe.dropEvidence(from);
  }
  return { count: most, winners: 1 };
}

/** Counts the requests that were sent before the first of them was answered. */
function countOverlapping(exchanges: readonly Exchange[]): number {
  const firstEnd = Math.min(...exchanges.map(({ startedAt, durationMs }) => startedAt + durationMs));
  return exchanges.filter(({ startedAt }) => startedAt <= firstEnd).length;
}

/** Judges races. The requests are named in the plural, and their winners. */
export const judgeRaces =
  (requests: string, won: string) =>
  ({ count, winners }: Races): ControlVerdict =>
    winners > 1
      ? createFailed(`In race ${count}, ${winners} of ${count === 1 ? RACERS : FEWER_RACERS} ${requests} ${won}.`)
      : createPassed(
          `In each of ${count} races, of ${RACERS} and then ${FEWER_RACERS} ${requests}, at most one ${won}.`,
        );
