import { createClientEndpoint } from '@/lib/oauth/lab/authenticate-client';
import { readAuthorizationRequest } from '@/lib/oauth/lab/authorization-request';
import { readProof } from '@/lib/oauth/lab/dpop-proof';
import { Parameters } from '@/lib/oauth/lab/parameters';
import { openRequestObject } from '@/lib/oauth/lab/request-object';
import { answerJson, refuse, type Violation, type Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';
import { issueSecret, readTicket } from '@/lib/oauth/lab/tickets';

/** Lifetime of a pushed request, in seconds (RFC 9126 section 2.2). */
const LIFETIME = 90;
/**
 * Time for which a pushed request is stored, in seconds. It is longer, because the consent page may be answered later.
 */
const KEPT = 900;
/** Parameters that are not stored with the request: client credentials. */
const NOT_KEPT = new Set(['client_id', 'client_secret', 'client_assertion', 'client_assertion_type']);

/** Handles `POST /auth/par`: pushed authorization requests (RFC 9126). */
export const pushRequest = createClientEndpoint(async ({ request, parameters: sent, client, violations }, lab) => {
  const allowed = sent.entries.filter(([name]) => !NOT_KEPT.has(name));
  const pushed = new Parameters([...allowed, ['client_id', client?.id ?? '']]);
  new Parameters(sent.entries.filter(([name]) => NOT_KEPT.has(name))).check(violations);
  if (pushed.get('request_uri') !== undefined) violations.note(null, 'request_uri must not be pushed.');
  const parameters = await openRequestObject(pushed, violations, lab);
  const proof = await readProof(request, violations, lab);
  const named = parameters.get('dpop_jkt');
  if (proof !== null && named !== undefined && named !== proof) {
    violations.note('dpop-code-binding', 'dpop_jkt names another key than the DPoP proof.');
  }
  readAuthorizationRequest(parameters, violations, lab);
  if (violations.refusing.length > 0) return refuse(violations.refusing);
  const bound: [string, string][] = proof === null || named !== undefined ? [] : [['dpop_jkt', proof]];
  const uri = await issueSecret(lab, 'par', [...parameters.entries, ...bound], KEPT);
  return answerJson(201, { request_uri: uri, expires_in: LIFETIME });
});

/** Parameters of an authorization request, with the hash of the pushed request they came from, or null. */
export interface ReadRequest {
  parameters: Parameters;
  pushed: string | null;
}

/**
 * Replaces a `request_uri` by the pushed parameters (RFC 9126 section 4), and a request object by its signed
 * parameters. Other parameters are ignored. A `request_uri` belongs to its client and gets one answer. Until then its
 * page may be reloaded. If the control `par` is off, it works repeatedly, and parameters sent with it take precedence.
 */
export async function readRequest(sent: Parameters, violations: Violations, lab: Lab): Promise<ReadRequest> {
  const uri = sent.get('request_uri');
  if (uri === undefined) {
    if (lab.requirements['fapi-pushed-requests']) violations.note(null, 'The request must be pushed (FAPI 2.0).');
    return { parameters: await openRequestObject(sent, violations, lab), pushed: null };
  }
  const refuseWith = (control: Violation['control'], description: string): ReadRequest => {
    violations.note(control, description, 'invalid_request_uri');
    return { parameters: sent, pushed: null };
  };
  const ticket = await readTicket(lab, 'par', uri);
  if (ticket === null || ticket.createdAt + LIFETIME * 1000 <= lab.now()) {
    return refuseWith(null, 'request_uri is unknown or expired.');
  }
  const entries: [string, string][] = JSON.parse(ticket.payload);
  const parameters = new Parameters(entries);
  if (parameters.get('client_id') !== sent.get('client_id')) {
    return refuseWith(null, 'request_uri belongs to another client.');
  }
  const refused = ticket.usedAt === null ? null : refuseWith('par', 'request_uri was used before.');
  if (lab.controls.par) return refused ?? { parameters, pushed: ticket.hash };
  const others = sent.entries.filter(([name]) => name !== 'request_uri');
  const further = entries.filter(([name]) => sent.get(name) === undefined);
  return { parameters: new Parameters([...others, ...further]), pushed: ticket.hash };
}

/**
 * Marks a pushed request as used. Returns true for the one caller that may answer it. If the control `par` is off, it
 * returns true for every caller.
 */
export async function spendPushedRequest({ pushed }: Pick<ReadRequest, 'pushed'>, lab: Lab): Promise<boolean> {
  if (pushed === null) return true;
  return (await lab.state.claim('par', pushed, lab.now(), null)) || !lab.controls.par;
}
