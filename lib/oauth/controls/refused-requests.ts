import type { AuthorizationOutcome, TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Fields, Probe, SendOptions } from '@/lib/oauth/assessment/probe';
import { type ControlVerdict, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';

/** One of several requests that a server has to refuse, and what it did. */
export interface Attempted<Outcome> {
  label: string;
  outcome: Outcome;
}

/** Sends authorization requests that differ from one in order by these fields, one after the other. */
export async function attemptAuthorizations(
  probe: Probe,
  variants: Record<string, Fields>,
  options: SendOptions = {},
): Promise<Attempted<AuthorizationOutcome>[]> {
  const attempts: Attempted<AuthorizationOutcome>[] = [];
  for (const [label, fields] of Object.entries(variants)) {
    attempts.push({ label, outcome: await probe.authorize(label, fields, options) });
  }
  return attempts;
}

/** Passed when every authorization request was refused. */
export function everyAuthorizationRefused(attempts: readonly Attempted<AuthorizationOutcome>[]): ControlVerdict {
  const granted = attempts.filter((one) => one.outcome.kind === 'granted');
  if (granted.length > 0) return failed(`Accepted: ${labels(granted)}.`);
  const shown = attempts.filter((one) => one.outcome.kind === 'page');
  if (shown.length > 0) return inconclusive(`A page was shown, so it cannot be told for: ${labels(shown)}.`);
  return passed(`Refused: ${labels(attempts)}.`);
}

/** The same for redirect URIs, to which not even an error may go (RFC 6749 section 4.1.2.1). */
export function everyRedirectUriRefused(attempts: readonly Attempted<AuthorizationOutcome>[]): ControlVerdict {
  const redirected = attempts.filter(({ outcome }) => outcome.kind === 'refused' && outcome.redirectedTo !== null);
  if (redirected.length > 0) return failed(`An error was sent to the address: ${labels(redirected)}.`);
  return everyAuthorizationRefused(attempts);
}

/** Passed when every token request was refused. */
export function everyTokenRefused(attempts: readonly Attempted<TokenOutcome>[]): ControlVerdict {
  const issued = attempts.filter((one) => one.outcome.kind === 'issued');
  return issued.length > 0 ? failed(`Accepted: ${labels(issued)}.`) : passed(`Refused: ${labels(attempts)}.`);
}

/** Passed when the resource accepted none of the tokens. */
export function noTokenAccepted(attempts: readonly Attempted<{ accepted: boolean; status: number }>[]): ControlVerdict {
  const accepted = attempts.filter((one) => one.outcome.accepted);
  if (accepted.length > 0) return failed(`Accepted: ${labels(accepted)}.`);
  const broken = attempts.filter((one) => one.outcome.status >= 500);
  if (broken.length > 0) return inconclusive(`The resource failed at: ${labels(broken)}.`);
  return passed(`Refused: ${labels(attempts)}.`);
}

function labels(attempts: readonly { label: string }[]): string {
  return attempts.map((one) => one.label).join(', ');
}
