import { describeFault } from '@/lib/oauth/assessment/comparison';
import type { AuthorizationOutcome, TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';

/**
 * Repeats a request that the server failed at, if it still serves valid requests. Some libraries report what they refuse
 * as a fault. The answer counts as a refusal if the same fault comes again.
 * @returns the last outcome
 */
export async function repeatFault<T extends AuthorizationOutcome | TokenOutcome>(
  first: T,
  repeat: () => Promise<T>,
  isServing: () => Promise<boolean>,
): Promise<T> {
  const fault = describeFault(first);
  if (fault === null || !(await isServing())) return first;
  const second = await repeat();
  if (describeFault(second) === fault) second.exchange.failsAgain = true;
  return second;
}

/** Sends an authorization request that must be refused, and repeats it if the server fails. */
export async function authorizeRefusably(
  probe: Probe,
  send: () => Promise<AuthorizationOutcome>,
): Promise<AuthorizationOutcome> {
  const isServing = async () => (await probe.requireAccepted().catch(ignoreUndecided)) !== null;
  return repeatFault(await send(), send, isServing);
}

/** Sends a token request that must be refused, and repeats it if the server fails. */
export async function redeemRefusably(probe: Probe, send: () => Promise<TokenOutcome>): Promise<TokenOutcome> {
  const isServing = async () => (await probe.runCodeFlow().catch(ignoreUndecided)) !== null;
  return repeatFault(await send(), send, isServing);
}
