import { describeFault } from '@/lib/oauth/assessment/comparison';
import type { AuthorizationOutcome, TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
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
