import { type Comparison, compareAccess, describeFault } from '@/lib/oauth/assessment/comparison';
import type { AuthorizationOutcome, TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { PresentOptions } from '@/lib/oauth/assessment/requests';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';

/** The part of an outcome that shows a fault. */
type Failing = Parameters<typeof describeFault>[0];

/**
 * Repeats a request that the server failed at. Some libraries report what they refuse as a fault. The answer counts as a
 * refusal if the same fault comes again. The server must have served a valid request in between.
 * @returns the second outcome
 */
export async function repeatFault<T extends Failing>(first: T, repeat: () => Promise<T>): Promise<T> {
  const fault = describeFault(first);
  const second = await repeat();
  if (fault !== null && describeFault(second) === fault) second.exchange.failsAgain = true;
  return second;
}

/** Sends a request that must be refused, and repeats it if the server fails and a valid request succeeds. */
async function sendRefusably<T extends Failing>(
  send: () => Promise<T>,
  serveValid: () => Promise<unknown>,
): Promise<T> {
  const first = await send();
  const isRepeated = describeFault(first) !== null && (await serveValid().catch(ignoreUndecided)) !== null;
  return isRepeated ? repeatFault(first, send) : first;
}

/** Sends an authorization request that must be refused, and repeats it if the server fails. */
export const authorizeRefusably = (probe: Probe, send: () => Promise<AuthorizationOutcome>) =>
  sendRefusably(send, () => probe.requireAccepted());

/** Sends a token request that must be refused, and repeats it if the server fails. */
export const redeemRefusably = (probe: Probe, send: () => Promise<TokenOutcome>) =>
  sendRefusably(send, () => probe.runCodeFlow());

/** Presents an access token that must be refused, and repeats it if the resource fails. */
export const compareRefusableAccess = async (
  probe: Probe,
  label: string,
  token: string,
  options: PresentOptions = {},
): Promise<Comparison> => {
  const send = () => probe.presentToken(label, token, options);
  return compareAccess(await sendRefusably(send, () => probe.requireWorkingToken()));
};
