import type { LabClient } from '@/lib/oauth/lab/clients';
import type { Parameters } from '@/lib/oauth/lab/parameters';
import { hashSecret } from '@/lib/oauth/lab/secret';
import type { LabServices } from '@/lib/oauth/lab/services';
import type { Ticket } from '@/lib/oauth/lab/state';
import type { SortedViolations, Violation } from '@/lib/oauth/lab/violation';

/** A token request whose sender is known. */
export interface TokenRequest {
  client: LabClient;
  parameters: Parameters;
  /** What is wrong with it so far. */
  violations: readonly Violation[];
  /** RFC 9449: the key that new tokens are to be bound to, or null. */
  thumbprint: string | null;
}

/** What came of a token request. `response` is null when it was refused. */
export interface TokenRequestOutcome extends SortedViolations {
  response: Record<string, string | number> | null;
}

/** Notes a violation, as `invalid_grant` unless it names another error. */
export type NoteViolation = (control: Violation['control'], description: string, error?: Violation['error']) => void;

/**
 * The ticket behind the secret that a token request presents; null where it presents none or an unknown or expired one,
 * which is noted.
 */
export async function readTicket(
  { parameters }: TokenRequest,
  kind: 'code' | 'refresh',
  note: NoteViolation,
  lab: LabServices,
): Promise<Ticket | null> {
  const name = kind === 'code' ? 'code' : 'refresh_token';
  const secret = parameters.get(name);
  if (secret === undefined) {
    note(null, `${name} is missing.`, 'invalid_request');
    return null;
  }
  const ticket = await lab.state.read(kind, hashSecret(secret));
  if (ticket !== null && ticket.expiresAt > lab.now()) return ticket;
  note(null, `The ${name.replace('_', ' ')} is unknown or expired.`);
  return null;
}
