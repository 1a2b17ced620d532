import { createHash } from 'node:crypto';
import { type Commit, StoreUnavailable } from '@/lib/counters/store';
import { parseAddress, subjectOf } from '@/lib/limiter/address';
import type { Attempt, Meter, Seconds } from '@/lib/limiter/meter';
import type { Services } from '@/lib/services';

/** Failed sign-ins that one account may have from one address within the window. */
export const FAILURES_PER_ACCOUNT = 10;
/** Failed sign-ins that one address (IPv6: one /64) may have over all accounts within the window. */
export const FAILURES_PER_ADDRESS = 50;
/** 15 minutes. */
export const FAILURE_WINDOW: Seconds = 900;

const WINDOW = { kind: 'sliding', seconds: FAILURE_WINDOW } as const;

type ThrottleServices = Pick<Services, 'counters' | 'rules' | 'database' | 'logger'>;

/** Where a sign-in comes from, as it is counted. */
function subject(address: string | null): string {
  const parsed = address === null ? null : parseAddress(address);
  return parsed === null ? 'unknown' : subjectOf(parsed);
}

function accountMeter(account: string, address: string | null): Meter {
  const digest = createHash('sha256').update(account, 'utf8').digest('base64url').slice(0, 22);
  return {
    subject: 'user',
    key: `signin|${digest}|${subject(address)}|${FAILURE_WINDOW}`,
    limit: FAILURES_PER_ACCOUNT,
    window: WINDOW,
  };
}

function addressMeter(address: string | null): Meter {
  return {
    subject: 'ip',
    key: `signin|${subject(address)}|${FAILURE_WINDOW}`,
    limit: FAILURES_PER_ADDRESS,
    window: WINDOW,
  };
}

/** One attempt, whatever the revision of the rules: its limits are not among them. @throws StoreUnavailable */
async function commit(services: ThrottleServices, attempt: Attempt) {
  let epoch = services.rules.current.revision;
  for (let tries = 0; tries < 10; tries += 1) {
    const result: Commit = await services.counters.commit(epoch, [attempt]);
    if (result.kind === 'decided') {
      const [verdict] = result.verdicts;
      if (verdict !== undefined) return { now: result.now, verdict };
    } else epoch = result.epoch;
  }
  throw new StoreUnavailable('The rules change faster than a sign-in can be counted.');
}

async function consume(services: ThrottleServices, meter: Meter): Promise<Seconds | null> {
  const { now, verdict } = await commit(services, { meters: [meter], cost: 1 });
  const retryAt = verdict.readings[0]?.retryAt ?? now;
  return verdict.admitted ? null : Math.max(1, Math.ceil((retryAt - now) / 1000));
}

/**
 * Asks whether an account may be tried from an address, and counts the try against the account at once, so that tries
 * that run side by side are counted too. The counters are those of the store that all processes share. An account is
 * only ever closed to the addresses that have failed on it: nobody can lock its owner out from elsewhere.
 *
 * @param account canonical e-mail, or whatever was given in its place
 * @returns null when it may, else how long to wait
 * @throws StoreUnavailable
 */
export async function beginSignIn(
  services: ThrottleServices,
  account: string,
  address: string | null,
): Promise<Seconds | null> {
  const meter = addressMeter(address);
  const { verdict } = await commit(services, { meters: [meter], cost: 0 });
  // The question itself costs nothing; where the address is used up, asking for one more says how long that lasts.
  if ((verdict.readings[0]?.used ?? 0) >= FAILURES_PER_ADDRESS) {
    const wait = await consume(services, meter);
    if (wait !== null) return wait;
  }
  return consume(services, accountMeter(account, address));
}

/** Counts a wrong password against the address. @throws StoreUnavailable */
export async function failSignIn(services: ThrottleServices, address: string | null): Promise<void> {
  await consume(services, addressMeter(address));
}

/** Forgets the failures of an account from this address after the right password. A failure to do so is only logged. */
export async function succeedSignIn(
  services: ThrottleServices,
  account: string,
  address: string | null,
): Promise<void> {
  const { counters, database, logger } = services;
  try {
    const change = counters.clear({ keys: [accountMeter(account, address).key] });
    if (change.kind === 'action') await change.run();
    else await database.batch(change.statements.map((statement) => database.drizzle.run(statement)));
  } catch (error) {
    logger.warn({ err: error }, 'failed sign-ins could not be forgotten');
  }
}
