import { type Comparison, compareAccess, describeFault } from '@/lib/oauth/assessment/comparison';
import type { AuthorizationOutcome, TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { PresentOptions } from '@/lib/oauth/assessment/requests';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';

/**
 * Repeats a request that the server failed at. Some libraries report what they refuse as a fault. The answer counts as a
 * refusal if the same fault comes again. The server must have served a valid request in between.
 * @returns the second outcome
 */
export async function repeatFault<T extends AuthorizationOutcome | TokenOutcome>(
  first: T,
  repeat: () => Promise<T>,
): Promise<T> {
  const fault = describeFault(first);
  const second = await repeat();
  if (fault !== null && describeFault(second) === fault) second.exchange.failsAgain = true;
  return second;
}

/** Sends an authorization request that must be refused, and repeats it if the server fails. */
export async function authorizeRefusably(
  probe: Probe,
  send: () => Promise<AuthorizationOutcome>,
): Promise<AuthorizationOutcome> {
  const first = await send();
  const isRepeated = describeFault(first) !== null && (await probe.requireAccepted().catch(ignoreUndecided)) !== null;
  return isRepeated ? repeatFault(first, send) : first;
}

/** Sends a token request that must be refused, and repeats it if the server fails. */
export async function redeemRefusably(probe: Probe, send: () => Promise<TokenOutcome>): Promise<TokenOutcome> {
  const first = await send();
  const isRepeated = describeFault(first) !== null && (await probe.runCodeFlow().catch(ignoreUndecided)) !== null;
  return isRepeated ? repeatFault(first, send) : first;
}

/** Presents an access token that must be refused, and repeats it if the resource fails. */
export async function compareRefusableAccess(
  probe: Probe,
  label: string,
  token: string,
  options: PresentOptions = {},
): Promise<Comparison> {
  const first = await probe.presentToken(label, token, options);
  const isFault = first.exchange.response.status === 500;
  if (!isFault || (await probe.requireWorkingToken().catch(ignoreUndecided)) === null) return compareAccess(first);
  const second = await probe.presentToken(label, token, options);
  if (second.exchange.response.status === 500) second.exchange.failsAgain = true;
  return compareAccess(second);
}
