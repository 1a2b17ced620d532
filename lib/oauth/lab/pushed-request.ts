import { clientEndpoint } from '@/lib/oauth/lab/authenticate-client';
import { readAuthorizationRequest } from '@/lib/oauth/lab/authorization-request';
import { Parameters } from '@/lib/oauth/lab/parameters';
import type { Violation, Violations } from '@/lib/oauth/lab/respond';
import { answerJson, refuse } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';
import { handOut, readTicket } from '@/lib/oauth/lab/tickets';

/** Life of a pushed request in seconds (RFC 9126 section 2.2). */
const PUSHED_REQUEST_LIFETIME = 90;
/** Credentials are not part of the request that is kept. */
const NOT_KEPT = new Set(['client_id', 'client_secret', 'client_assertion', 'client_assertion_type']);

/** `POST /auth/par`: pushed authorization requests (RFC 9126). */
export const pushRequest = clientEndpoint(async ({ parameters: sent, client, violations }, lab) => {
  const kept = sent.entries().filter(([name]) => !NOT_KEPT.has(name));
  const parameters = new Parameters([...kept, ['client_id', client?.id ?? '']]);
  if (parameters.get('request_uri') !== undefined) {
    violations.note(null, 'invalid_request', 'request_uri must not be pushed.');
  }
  readAuthorizationRequest(parameters, violations, lab);
  if (violations.refusing.length > 0) return refuse(violations.refusing);
  const uri = await handOut(lab, 'par', parameters.entries(), PUSHED_REQUEST_LIFETIME);
  return answerJson(201, { request_uri: uri, expires_in: PUSHED_REQUEST_LIFETIME });
});

/**
 * Replaces a `request_uri` by what was pushed (RFC 9126 section 4): it works once, for its client, and parameters beside
 * it are ignored. With the control `par` off it works again and again, and parameters beside it win.
 */
export async function takePushedRequest(given: Parameters, violations: Violations, lab: Lab): Promise<Parameters> {
  const uri = given.get('request_uri');
  if (uri === undefined) return given;
  const refuseWith = (control: Violation['control'], description: string) => {
    violations.note(control, 'invalid_request_uri', description);
    return given;
  };
  const ticket = await readTicket(lab, 'par', uri);
  if (ticket === null) return refuseWith(null, 'request_uri is unknown or expired.');
  const entries: [string, string][] = JSON.parse(ticket.payload);
  const pushed = new Parameters(entries);
  if (pushed.get('client_id') !== given.get('client_id')) {
    return refuseWith(null, 'request_uri belongs to another client.');
  }
  const first = await lab.state.claim('par', ticket.hash, lab.now(), null);
  if (!first) refuseWith('par', 'request_uri was used before.');
  if (lab.controls.par) return first ? pushed : given;
  const beside = given.entries().filter(([name]) => name !== 'request_uri');
  return new Parameters([...beside, ...entries.filter(([name]) => given.get(name) === undefined)]);
}
