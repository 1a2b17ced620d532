import { createHash, createHmac } from 'node:crypto';
import { type Commit, StoreUnavailable } from '@/lib/counters/store';
import { parseAddress, subjectOf } from '@/lib/limiter/address';
import type { Attempt, Meter, Reading } from '@/lib/limiter/meter';
import type { Services } from '@/lib/operation/services';
import type { Millis, Seconds } from '@/lib/units';

/** Failed sign-ins that one account may have from one address, or from one known browser, within the window. */
export const FAILURES_PER_ACCOUNT = 10;
/** Failed sign-ins that one address (IPv6: one /64) may have over all accounts within the window. */
export const FAILURES_PER_ADDRESS = 50;
/** 15 minutes. */
export const FAILURE_WINDOW: Seconds = 900;

/** Failed sign-ins that one account may have from strangers, whatever their addresses, before they have to wait. */
export const FREE_FAILURES = 10;
/** How long they are remembered: a day. */
const STRANGERS_WINDOW: Seconds = 86_400;
/** Longest wait between two of them: 15 minutes. */
export const LONGEST_WAIT: Seconds = 900;
/** The waits by the number of failures: 2 s after the tenth, 4 s after the next, and so on. */
const WAITS: readonly Seconds[] = [2, 4, 8, 16, 32, 64, 128, 256, 512, LONGEST_WAIT];

/**
 * Accounts are counted in so many buckets, so that made-up accounts cannot fill the store: two accounts share one with
 * a probability of 1 in 262,144, and nobody without `AUTH_SECRET` can say which.
 */
const BUCKETS = 2 ** 18;

type ThrottleServices = Pick<Services, 'counters' | 'rules' | 'database' | 'logger' | 'authSecret'>;

/** Where a sign-in comes from. */
export interface Place {
  /** Null when nothing trustworthy tells it. */
  address: string | null;
  /** A browser that has signed in to this account before, or a session of it; null for a stranger. */
  known: string | null;
}

/** Where a stranger comes from, as it is counted. */
function subject(address: string | null): string {
  const parsed = address === null ? null : parseAddress(address);
  return parsed === null ? 'unknown' : subjectOf(parsed);
}

function meter(kind: Meter['subject'], name: string, limit: number, seconds: Seconds): Meter {
  return { subject: kind, key: `signin|${name}|${seconds}`, limit, window: { kind: 'sliding', seconds } };
}

/** The failures of an account from one place. */
function placeMeter(account: string, { address, known }: Place): Meter {
  const digest = createHash('sha256').update(account, 'utf8').digest('base64url').slice(0, 22);
  return meter('user', `${digest}|${known ?? subject(address)}`, FAILURES_PER_ACCOUNT, FAILURE_WINDOW);
}

/** The failures of one address. */
function addressMeter(address: string | null): Meter {
  return meter('ip', subject(address), FAILURES_PER_ADDRESS, FAILURE_WINDOW);
}

/** What strangers do to an account: how often they have failed, and since when each of the waits has been over. */
function strangerMeters(account: string, authSecret: string): { failures: Meter; gates: Meter[] } {
  const digest = createHmac('sha256', authSecret)
    .update(JSON.stringify(['sluice.account', account]))
    .digest();
  const bucket = digest.readUInt32BE() % BUCKETS;
  return {
    failures: meter('user', `all|${bucket}`, FREE_FAILURES, STRANGERS_WINDOW),
    gates: WAITS.map((seconds) => meter('user', `gate|${bucket}`, 1, seconds)),
  };
}

const counting = (one: Meter): Meter => ({ ...one, unlimited: true });

/** One attempt, whatever the revision of the rules: its limits are not among them. @throws StoreUnavailable */
async function commit(services: ThrottleServices, attempt: Attempt) {
  let revision = services.rules.current.revision;
  for (let tries = 0; tries < 10; tries += 1) {
    const result: Commit = await services.counters.commit(revision, [attempt]);
    if (result.kind === 'decided') {
      const [verdict] = result.verdicts;
      if (verdict !== undefined) return { now: result.now, verdict };
    } else revision = result.revision;
  }
  throw new StoreUnavailable('The rules change faster than a sign-in can be counted.');
}

async function consume(services: ThrottleServices, meters: readonly Meter[]): Promise<Seconds | null> {
  const { now, verdict } = await commit(services, { meters, cost: 1 });
  return verdict.admitted ? null : secondsUntil(now, verdict.readings);
}

/** How long until all of them admit, at least a second. */
function secondsUntil(now: Millis, readings: readonly Reading[]): Seconds {
  const retryAt = Math.max(now, ...readings.map((reading) => reading.retryAt ?? now));
  return Math.max(1, Math.ceil((retryAt - now) / 1000));
}

/**
 * Asks whether an account may be tried from a place, and counts the try against the account at once, so that tries that
 * run side by side are counted too. The counters are those of the store that all processes share.
 *
 * A known browser has 10 failures in 15 minutes of its own, whatever others do. Strangers have 10 for each address and
 * account and 50 for each address; and all of them together have 10 a day on one account, after which each has to wait
 * after the one before it: 2 s, 4 s, 8 s, ..., at most 15 minutes. So nobody can lock a known browser out, and a botnet
 * has about a hundred guesses a day.
 *
 * @param account canonical e-mail, or whatever was given in its place
 * @returns null when it may, else how long to wait
 * @throws StoreUnavailable
 */
export async function beginSignIn(services: ThrottleServices, account: string, place: Place): Promise<Seconds | null> {
  const here = placeMeter(account, place);
  if (place.known !== null) return consume(services, [here]);
  const address = addressMeter(place.address);
  const { verdict } = await commit(services, { meters: [address], cost: 0 });
  // The question itself costs nothing; where the address is used up, asking for one more says how long that lasts.
  if ((verdict.readings[0]?.used ?? 0) >= FAILURES_PER_ADDRESS) {
    const wait = await consume(services, [address]);
    if (wait !== null) return wait;
  }
  const { failures, gates } = strangerMeters(account, services.authSecret);
  const free = await commit(services, { meters: [here, failures, ...gates.slice(0, 1).map(counting)], cost: 1 });
  if (free.verdict.admitted) return null;
  const [atPlace, byStrangers] = free.verdict.readings;
  if (atPlace !== undefined && atPlace.retryAt !== null) return secondsUntil(free.now, [atPlace]);
  // Each try is counted at the gate it goes through and at the next one, which the next try has to go through.
  const gate = Math.min((byStrangers?.used ?? 0) - FREE_FAILURES, gates.length - 1);
  const passed = gates.slice(gate, gate + 2).map((one, ahead) => (ahead === 0 ? one : counting(one)));
  return consume(services, [here, counting(failures), ...passed]);
}

/** Counts a wrong password of a stranger against the address. @throws StoreUnavailable */
export async function failSignIn(services: ThrottleServices, place: Place): Promise<void> {
  if (place.known === null) await consume(services, [addressMeter(place.address)]);
}

/** Forgets the failures that stood in the way of the right password. A failure to do so is only logged. */
export async function succeedSignIn(services: ThrottleServices, account: string, place: Place): Promise<void> {
  const { counters, database, logger, authSecret } = services;
  const { failures, gates } = strangerMeters(account, authSecret);
  const meters = [placeMeter(account, place), ...(place.known === null ? [failures, ...gates] : [])];
  try {
    const change = counters.clear({ keys: meters.map(({ key }) => key) });
    if (change.kind === 'action') await change.run();
    else await database.batch(change.statements.map((statement) => database.drizzle.run(statement)));
  } catch (error) {
    logger.warn({ err: error }, 'failed sign-ins could not be forgotten');
  }
}
