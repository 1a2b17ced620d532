import { authenticateClient } from '@/lib/oauth/lab/authenticate-client';
import { readAuthorizationRequest } from '@/lib/oauth/lab/authorization-request';
import type { Controls } from '@/lib/oauth/lab/controls';
import { Parameters, readBody } from '@/lib/oauth/lab/parameters';
import { answerJson, markWeakened, refuse } from '@/lib/oauth/lab/respond';
import { hashSecret, newSecret } from '@/lib/oauth/lab/secret';
import type { LabServices } from '@/lib/oauth/lab/services';
import { applyControls, type Violation } from '@/lib/oauth/lab/violation';

/** Life of a pushed request in seconds (RFC 9126 section 2.2). */
const PUSHED_REQUEST_LIFETIME = 90;
const PREFIX = 'urn:ietf:params:oauth:request_uri:';
/** Credentials are not part of the request that is kept. */
const NOT_KEPT = new Set(['client_secret', 'client_assertion', 'client_assertion_type']);

/** `POST /auth/par`: pushed authorization requests (RFC 9126). */
export async function pushRequest(request: Request, controls: Controls, lab: LabServices): Promise<Response> {
  const body = await readBody(request);
  if (!body.ok) return refuse([body.violation]);
  const { client, violations } = authenticateClient(request, body.parameters, lab);
  const parameters = new Parameters([
    ...body.parameters.entries().filter(([name]) => !NOT_KEPT.has(name) && name !== 'client_id'),
    ['client_id', client?.id ?? ''],
  ]);
  if (parameters.get('request_uri') !== undefined) {
    violations.push({ control: null, error: 'invalid_request', description: 'request_uri must not be pushed.' });
  }
  const own = applyControls(violations, controls);
  const reading = readAuthorizationRequest(parameters, controls, lab);
  const refusing = [...own.refusing, ...reading.addressing.refusing, ...reading.rest.refusing];
  const waived = [...own.waived, ...reading.addressing.waived, ...reading.rest.waived];
  if (refusing.length > 0) return markWeakened(refuse(refusing), controls, waived);

  const uri = newSecret(lab, PREFIX);
  const now = lab.now();
  await lab.state.put({
    kind: 'par',
    hash: hashSecret(uri),
    payload: JSON.stringify(parameters.entries()),
    createdAt: now,
    expiresAt: now + PUSHED_REQUEST_LIFETIME * 1000,
  });
  return markWeakened(answerJson(201, { request_uri: uri, expires_in: PUSHED_REQUEST_LIFETIME }), controls, waived);
}

/**
 * Replaces a `request_uri` by what was pushed (RFC 9126 section 4): it works once, for its client, and parameters beside
 * it are ignored. With the control `par` off it works again and again, and parameters beside it win.
 */
export async function takePushedRequest(
  given: Parameters,
  controls: Controls,
  lab: LabServices,
): Promise<{ parameters: Parameters; violations: Violation[] }> {
  const uri = given.get('request_uri');
  if (uri === undefined) return { parameters: given, violations: [] };
  const refusal = (control: Violation['control'], description: string) => ({
    parameters: given,
    violations: [{ control, error: 'invalid_request_uri' as const, description }],
  });
  const hash = hashSecret(uri);
  const kept = uri.startsWith(PREFIX) ? await lab.state.read('par', hash) : null;
  if (kept === null || kept.expiresAt <= lab.now()) return refusal(null, 'request_uri is unknown or expired.');
  const pushed: [string, string][] = JSON.parse(kept.payload);
  if (new Parameters(pushed).get('client_id') !== given.get('client_id')) {
    return refusal(null, 'request_uri belongs to another client.');
  }
  const first = await lab.state.claim('par', hash, lab.now(), null);
  if (controls.par) {
    return first
      ? { parameters: new Parameters(pushed), violations: [] }
      : refusal('par', 'request_uri was used before.');
  }
  const beside = given.entries().filter(([name]) => name !== 'request_uri');
  const names = new Set(beside.map(([name]) => name));
  const violations: Violation[] = first
    ? []
    : [{ control: 'par', error: 'invalid_request_uri', description: 'request_uri was used before.' }];
  return { parameters: new Parameters([...beside, ...pushed.filter(([name]) => !names.has(name))]), violations };
}
