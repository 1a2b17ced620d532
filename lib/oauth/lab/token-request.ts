import type { LabClient } from '@/lib/oauth/lab/clients';
import type { Parameters } from '@/lib/oauth/lab/parameters';
import type { Lab } from '@/lib/oauth/lab/services';
import type { Ticket } from '@/lib/oauth/lab/state';
import { readTicket } from '@/lib/oauth/lab/tickets';
import type { Violation, Violations } from '@/lib/oauth/lab/violation';

/** A token request whose sender is known. */
export interface TokenRequest {
  client: LabClient;
  parameters: Parameters;
  /** What is wrong with it so far. */
  violations: Violations;
  /** Notes that what it presents is no good. */
  invalidGrant(control: Violation['control'], description: string): void;
  /** RFC 9449: the key that new tokens are to be bound to, or null. */
  thumbprint: string | null;
}

/** A grant of the token endpoint. Answers the response; null where the request is refused. */
export type RedeemGrant = (asked: TokenRequest, lab: Lab) => Promise<Record<string, string | number> | null>;

/**
 * The ticket behind the secret that a token request presents; null where it presents none or an unknown or expired one,
 * which is noted.
 */
export async function presentedTicket(asked: TokenRequest, kind: 'code' | 'refresh', lab: Lab): Promise<Ticket | null> {
  const name = kind === 'code' ? 'code' : 'refresh_token';
  const secret = asked.parameters.get(name);
  if (secret === undefined) {
    asked.violations.note(null, 'invalid_request', `${name} is missing.`);
    return null;
  }
  const ticket = await readTicket(lab, kind, secret);
  if (ticket === null) asked.invalidGrant(null, `The ${name.replace('_', ' ')} is unknown or expired.`);
  return ticket;
}

/**
 * Uses a ticket, unless its request is refused: that consumes nothing. Notes where it was used before.
 * @param mark what the use leads to
 */
export async function redeemTicket(
  { kind, hash, usedAt }: Ticket,
  mark: string | null,
  asked: TokenRequest,
  lab: Lab,
): Promise<'refused' | 'first' | 'again'> {
  const refused = asked.violations.refusing.length > 0;
  const used = refused ? usedAt !== null : !(await lab.state.claim(kind, hash, lab.now(), mark));
  if (used && kind === 'code') asked.invalidGrant('code-single-use', 'The code was used before.');
  else if (used) asked.invalidGrant('refresh-rotation', 'The refresh token was used before.');
  if (refused) return 'refused';
  return used ? 'again' : 'first';
}
