import { createHash, createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import type { AuthServices } from '@/lib/auth/state';
import { type Commit, type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import type { MemberId } from '@/lib/ids';
import { formatAddressSubject, parseAddress } from '@/lib/limiter/address';
import type { Attempt, Meter, Reading } from '@/lib/limiter/meter';
import type { Millis, Seconds } from '@/lib/units';

/** Failed sign-ins per window of one account from one address or one known browser. */
export const FAILURES_PER_ACCOUNT = 10;
/** Failed sign-ins per window of one address (IPv6: one /64) over all accounts. */
export const FAILURES_PER_ADDRESS = 50;
/** Length of the window: 15 minutes. */
export const FAILURE_WINDOW: Seconds = 900;
/** Failed sign-ins of one account in a day, from all unknown browsers together, before these must wait. */
export const FREE_FAILURES = 10;
/** Codes of a second factor that may be tried per window on one account, from all addresses together. */
export const CODES_PER_ACCOUNT = 10;
/** Longest wait between two attempts of unknown browsers: 15 minutes. */
export const LONGEST_WAIT: Seconds = 900;
/** Waits by the number of failures: 2 s after the tenth, 4 s after the next, and so on. */
const WAITS: readonly Seconds[] = [2, 4, 8, 16, 32, 64, 128, 256, 512, LONGEST_WAIT];

/**
 * Number of buckets that accounts are hashed into, so that made-up accounts cannot fill the store. Two accounts collide
 * with a probability of 1 in 262,144. Predicting a collision requires `AUTH_SECRET`.
 */
const BUCKETS = 2 ** 18;

export interface ThrottleServices extends Pick<AuthServices, 'database' | 'authSecret'> {
  readonly counters: Pick<CounterStore, 'commit' | 'clear'>;
  /** Revision for commits. The store refuses a commit under another revision than the current one. */
  readonly rules: { readonly current: { readonly revision: number } };
  readonly logger: Pick<Logger, 'warn'>;
}

/** Origin of a sign-in. */
export interface SignInPlace {
  /** Null if it is missing. */
  address: string | null;
  /** A browser that has signed in to this account before, or a session of it. Null for an unknown browser. */
  knownBrowser: string | null;
}

function parseSubject(address: string | null): string {
  const parsed = address === null ? null : parseAddress(address);
  return parsed === null ? 'unknown' : formatAddressSubject(parsed);
}

function buildMeter(kind: Meter['subject'], name: string, limit: number, seconds: Seconds): Meter {
  return { subject: kind, key: `signin|${name}|${seconds}`, limit, window: { kind: 'sliding', seconds } };
}

/** Builds the meter for failures of an account from one place. */
function buildPlaceMeter(account: string, { address, knownBrowser }: SignInPlace): Meter {
  const digest = createHash('sha256').update(account, 'utf8').digest('base64url').slice(0, 22);
  return buildMeter('user', `${digest}|${knownBrowser ?? parseSubject(address)}`, FAILURES_PER_ACCOUNT, FAILURE_WINDOW);
}

function buildAddressMeter(address: string | null): Meter {
  return buildMeter('ip', parseSubject(address), FAILURES_PER_ADDRESS, FAILURE_WINDOW);
}

function buildCodeMeter(memberId: MemberId): Meter {
  return buildMeter('user', `code|${memberId}`, CODES_PER_ACCOUNT, FAILURE_WINDOW);
}

/**
 * Builds the meters of an account for all unknown browsers: their failures, and one gate per wait. A gate opens when
 * its wait ends.
 */
function buildUnknownBrowserMeters(account: string, authSecret: string): { failures: Meter; gates: Meter[] } {
  const digest = createHmac('sha256', authSecret)
    .update(JSON.stringify(['sluice.account', account]))
    .digest();
  const bucket = digest.readUInt32BE() % BUCKETS;
  return {
    failures: buildMeter('user', `all|${bucket}`, FREE_FAILURES, 86_400),
    gates: WAITS.map((seconds) => buildMeter('user', `gate|${bucket}`, 1, seconds)),
  };
}

/** Makes a meter count without limiting. */
const removeLimit = (meter: Meter): Meter => ({ ...meter, unlimited: true });

/** Commits one attempt under any current revision, because its limits are not rules. @throws StoreUnavailable */
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
  return verdict.admitted ? null : computeWait(now, verdict.readings);
}

/** Returns the time until all meters admit, at least one second. */
function computeWait(now: Millis, readings: readonly Reading[]): Seconds {
  const retryAt = Math.max(now, ...readings.map((reading) => reading.retryAt ?? now));
  return Math.max(1, Math.ceil((retryAt - now) / 1000));
}

/**
 * Admits or refuses a sign-in attempt. It counts at once, so that concurrent attempts count too. All processes share
 * the counters in the store.
 *
 * - A known browser has 10 failures in 15 minutes.
 * - Unknown browsers have 10 failures in 15 minutes per address and account, and 50 per address.
 * - All unknown browsers together have 10 failures a day on one account. Then they wait between attempts: 2 s, 4 s, 8
 * s, ..., at most 15 minutes.
 *
 * A known browser can therefore not be locked out, and a botnet has about a hundred guesses a day.
 *
 * @param account canonical e-mail, or the given text if it is no e-mail address
 * @returns null if the attempt is admitted, else the time to wait
 * @throws StoreUnavailable
 */
export async function beginSignIn(
  services: ThrottleServices,
  account: string,
  place: SignInPlace,
): Promise<Seconds | null> {
  const placeMeter = buildPlaceMeter(account, place);
  if (place.knownBrowser !== null) return consume(services, [placeMeter]);
  const address = buildAddressMeter(place.address);
  const { verdict } = await commit(services, { meters: [address], cost: 0 });
  // Cost 0 consumes nothing. Only an exhausted address is checked again at cost 1, which yields the wait.
  if ((verdict.readings[0]?.used ?? 0) >= FAILURES_PER_ADDRESS) {
    const wait = await consume(services, [address]);
    if (wait !== null) return wait;
  }
  const { failures, gates } = buildUnknownBrowserMeters(account, services.authSecret);
  const free = await commit(services, {
    meters: [placeMeter, failures, ...gates.slice(0, 1).map(removeLimit)],
    cost: 1,
  });
  if (free.verdict.admitted) return null;
  const [atPlace, byOthers] = free.verdict.readings;
  if (atPlace !== undefined && atPlace.retryAt !== null) return computeWait(free.now, [atPlace]);
  // An attempt passes one gate and counts at the next gate, which the next attempt must pass.
  const gate = Math.min((byOthers?.used ?? 0) - FREE_FAILURES, gates.length - 1);
  const passed = gates.slice(gate, gate + 2).map((meter, ahead) => (ahead === 0 ? meter : removeLimit(meter)));
  return consume(services, [placeMeter, removeLimit(failures), ...passed]);
}

/** Counts a wrong password of an unknown browser against the address. @throws StoreUnavailable */
export async function recordFailedSignIn(services: ThrottleServices, place: SignInPlace): Promise<void> {
  if (place.knownBrowser === null) await consume(services, [buildAddressMeter(place.address)]);
}

/**
 * Admits or refuses a code of the second factor, from the app or a recovery code, and counts it at once. The limit
 * applies to the account as a whole: a caller that tries codes has the password, and may have any address.
 * @returns null if the code may be checked, else the time to wait
 * @throws StoreUnavailable
 */
export function beginCode(services: ThrottleServices, memberId: MemberId): Promise<Seconds | null> {
  return consume(services, [buildCodeMeter(memberId)]);
}

/** Resets the counter of codes after a correct code. A fault is only logged. */
export function clearCodes(services: ThrottleServices, memberId: MemberId): Promise<void> {
  return clear(services, [buildCodeMeter(memberId)]);
}

/**
 * Clears the failures of an account after a complete sign-in, or of a session after the right password. A failure is
 * only logged.
 */
export function clearFailedSignIns(services: ThrottleServices, account: string, place: SignInPlace): Promise<void> {
  const { failures, gates } = buildUnknownBrowserMeters(account, services.authSecret);
  return clear(services, [
    buildPlaceMeter(account, place),
    ...(place.knownBrowser === null ? [failures, ...gates] : []),
  ]);
}

async function clear({ counters, database, logger }: ThrottleServices, meters: readonly Meter[]): Promise<void> {
  try {
    const change = counters.clear({ keys: meters.map(({ key }) => key) });
    if (change.kind === 'action') await change.run();
    else await database.batch(change.statements.map((statement) => database.drizzle.run(statement)));
  } catch (error) {
    logger.warn({ err: error }, 'failed sign-ins could not be cleared');
  }
}
