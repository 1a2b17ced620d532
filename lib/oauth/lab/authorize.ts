import { type AuthorizationReading, readAuthorizationRequest } from '@/lib/oauth/lab/authorization-request';
import {
  CODE_LIFETIME,
  grantAuthorization,
  redirectTarget,
  withStateAndIssuer,
} from '@/lib/oauth/lab/authorization-response';
import { askForConsent } from '@/lib/oauth/lab/consent';
import type { Controls } from '@/lib/oauth/lab/controls';
import { answerPage, escapeHtml } from '@/lib/oauth/lab/html-page';
import { type Parameters, readBody, readQuery } from '@/lib/oauth/lab/parameters';
import { takePushedRequest } from '@/lib/oauth/lab/pushed-request';
import { redirectBrowser } from '@/lib/oauth/lab/redirect-browser';
import { answerJson, markWeakened, refuse } from '@/lib/oauth/lab/respond';
import type { LabServices } from '@/lib/oauth/lab/services';
import { applyControls, controlsOf, type Violation } from '@/lib/oauth/lab/violation';

/**
 * `POST /auth/authorize`: the authorization endpoint for programs. Answers with JSON and never redirects; the demo user
 * agrees by the request itself.
 */
export async function authorizeByPost(request: Request, controls: Controls, lab: LabServices): Promise<Response> {
  const body = await readBody(request);
  if (!body.ok) return refuse([body.violation]);
  const mixup = clientIdMixup(request, body.parameters);
  const pushed = await takePushedRequest(body.parameters, controls, lab);
  const reading = readAuthorizationRequest(pushed.parameters, controls, lab);
  const early = applyControls([...mixup, ...pushed.violations], controls);
  const refusing = [...early.refusing, ...reading.addressing.refusing, ...reading.rest.refusing];
  const waived = [...early.waived, ...reading.addressing.waived, ...reading.rest.waived];

  const first = refusing[0];
  if (reading.request === null || first !== undefined) {
    const members = errorMembers(pushed.parameters, reading, refusing, controls, lab);
    return markWeakened(refuse(refusing, { members }), controls, waived);
  }
  const response = await grantAuthorization(reading.request, controls, lab);
  const answer = {
    ...response,
    redirect_uri: reading.request.redirectUri,
    redirect_to: redirectTarget(reading.request.redirectUri, response),
    expires_in: response.expires_in === undefined ? CODE_LIFETIME : Number(response.expires_in),
  };
  return markWeakened(answerJson(200, answer), controls, waived);
}

/** `GET /auth/authorize`: the authorization endpoint for browsers (RFC 6749 section 4.1.1). */
export async function authorizeByGet(request: Request, controls: Controls, lab: LabServices): Promise<Response> {
  const pushed = await takePushedRequest(readQuery(request), controls, lab);
  const reading = readAuthorizationRequest(pushed.parameters, controls, lab);
  const early = applyControls(pushed.violations, controls);
  const waived = [...early.waived, ...reading.addressing.waived, ...reading.rest.waived];
  const answer = await answerBrowser(pushed.parameters, reading, early.refusing, controls, lab);
  return markWeakened(answer, controls, waived);
}

async function answerBrowser(
  parameters: Parameters,
  reading: AuthorizationReading,
  early: readonly Violation[],
  controls: Controls,
  lab: LabServices,
): Promise<Response> {
  const state = parameters.get('state') ?? null;
  const all = [...early, ...reading.addressing.refusing, ...reading.rest.refusing];
  const asked = reading.request;
  if (asked === null || early.length > 0) {
    const claimed = reading.claimedRedirect;
    if (!controls['no-open-redirect-on-error'] && claimed !== null) {
      return redirectBrowser(errorTarget(claimed.uri, all, state, controls, lab), claimed.registered, controls);
    }
    return errorPage(all, controls);
  }
  const { redirectUri, redirectRegistered } = asked;
  if (all.length > 0) {
    return redirectBrowser(errorTarget(redirectUri, all, state, controls, lab), redirectRegistered, controls);
  }
  if (controls['user-consent']) {
    if (!asked.prompt.includes('none')) return askForConsent(asked, controls, lab);
    const description = 'The user has to be asked.';
    const violations: Violation[] = [{ control: 'user-consent', error: 'consent_required', description }];
    return redirectBrowser(errorTarget(redirectUri, violations, state, controls, lab), redirectRegistered, controls);
  }
  const target = redirectTarget(redirectUri, await grantAuthorization(asked, controls, lab));
  return redirectBrowser(target, redirectRegistered, controls);
}

/** The redirect that carries an error (RFC 6749 section 4.1.2.1). There must be a violation. */
function errorTarget(
  uri: string,
  violations: readonly Violation[],
  state: string | null,
  controls: Controls,
  lab: LabServices,
): string {
  const first = violations[0];
  const error = { error: first?.error ?? 'invalid_request', error_description: first?.description ?? '' };
  return redirectTarget(uri, withStateAndIssuer(error, state, controls, lab));
}

function errorMembers(
  parameters: Parameters,
  reading: AuthorizationReading,
  refusing: readonly Violation[],
  controls: Controls,
  lab: LabServices,
): Record<string, unknown> {
  const state = parameters.get('state') ?? null;
  const members = withStateAndIssuer({}, state, controls, lab);
  if (reading.request === null || !reading.request.redirectRegistered) return members;
  return { ...members, redirect_to: errorTarget(reading.request.redirectUri, refusing, state, controls, lab) };
}

function errorPage(violations: readonly Violation[], controls: Controls): Response {
  const items = violations.map((v) => `<li>${escapeHtml(v.description)}</li>`).join('');
  const controlNames = controlsOf(violations).map((id) => `<code>${escapeHtml(id)}</code>`);
  return answerPage({
    status: 400,
    title: 'This authorization request cannot be answered',
    body: `<p>The browser is not sent anywhere, because the address to send it to cannot be trusted.</p>
<ul>${items}</ul>${controlNames.length === 0 ? '' : `<p>Blocked by ${controlNames.join(', ')}.</p>`}`,
    frameProtection: controls['frame-protection'],
    referrerPolicy: controls['referrer-policy'],
  });
}

/** A `client_id` in the query has to be the one in the body. */
function clientIdMixup(request: Request, parameters: Parameters): Violation[] {
  const inQuery = readQuery(request).all('client_id');
  if (inQuery.every((id) => id === parameters.get('client_id'))) return [];
  const description = 'client_id in the query differs from the one in the body.';
  return [{ control: 'client-id-mixup', error: 'invalid_request', description }];
}
