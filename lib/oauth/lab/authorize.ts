import { LAB_PATHS } from '@/lib/contract/lab-paths';
import {
  type AuthorizationRequest,
  type AuthorizedRequest,
  readAuthorizationRequest,
} from '@/lib/oauth/lab/authorization-request';
import {
  answerErrorPage,
  answerPage,
  escapeHtml,
  postByBrowser,
  redirectBrowser,
} from '@/lib/oauth/lab/browser-answers';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import {
  type ControlSwitch,
  type Controls,
  enableControlsExcept,
  listDisabledControls,
} from '@/lib/oauth/lab/controls';
import { readDecision, refuseTicket } from '@/lib/oauth/lab/decision';
import { issueAccessToken, issueIdToken } from '@/lib/oauth/lab/grant';
import { readBody, readQuery } from '@/lib/oauth/lab/parameters';
import { type ReadRequest, readRequest, spendPushedRequest } from '@/lib/oauth/lab/pushed-request';
import { answerJson, markWeakened, refuse, type Violation, Violations } from '@/lib/oauth/lab/respond';
import type { Lab, LabHandler } from '@/lib/oauth/lab/services';
import { generateId, issueSecret } from '@/lib/oauth/lab/tickets';

/**
 * Handles `POST /auth/authorize`: the authorization endpoint for programs. Answers with JSON and never redirects. The
 * request itself counts as the consent of the demo user.
 */
export const authorizeByPost: LabHandler = async (request, lab, violations) => {
  const body = await readBody(request, violations);
  if (body === null) return refuse(violations.refusing);
  const inQuery = readQuery(request).getAll('client_id');
  if (inQuery.some((id) => id !== body.get('client_id'))) {
    violations.note('client-id-mixup', 'client_id in the query differs from the one in the body.');
  }
  const read = await readRequest(body, violations, lab);
  const { parameters } = read;
  const authorization = readAuthorizationRequest(parameters, violations, lab).request;
  if (violations.refusing.length === 0 && !(await spendPushedRequest(read, lab))) noteReuse(violations);
  const { refusing } = violations;
  if (authorization === null || refusing.length > 0) {
    const state = parameters.get('state') ?? null;
    const members: Record<string, unknown> = addStateAndIssuer({}, state, lab);
    if (authorization?.redirectRegistered)
      members.redirect_to = buildTarget(authorization, buildErrorResponse(refusing, state, lab));
    return refuse(refusing, {}, members);
  }
  const response = await grantAuthorization(authorization, lab);
  return answerJson(200, {
    ...response,
    redirect_uri: authorization.redirectUri,
    redirect_to: buildTarget(authorization, response),
    expires_in: response.expires_in === undefined ? CODE_LIFETIME : Number(response.expires_in),
  });
};

const noteReuse = (violations: Violations) =>
  violations.note('par', 'request_uri was used before.', 'invalid_request_uri');

/** Handles `GET /auth/authorize`: the authorization endpoint for browsers (RFC 6749 section 4.1.1). */
export const authorizeByGet: LabHandler = async (request, lab, violations) => {
  const read = await readRequest(readQuery(request), violations, lab);
  const { parameters } = read;
  const usable = violations.refusing.length === 0;
  const { request: authorization, claimedRedirect } = readAuthorizationRequest(parameters, violations, lab);
  const state = parameters.get('state') ?? null;
  if (authorization === null || !usable) {
    if (lab.controls['no-open-redirect-on-error'] || claimedRedirect === null)
      return answerErrorPage(violations, UNANSWERABLE);
    const target = buildRedirectTarget(claimedRedirect.uri, buildErrorResponse(violations.refusing, state, lab));
    return redirectBrowser(target, claimedRedirect.registered, lab.controls);
  }
  if (violations.refusing.length === 0 && isConsentRequired(authorization, lab)) {
    if (!authorization.prompt.includes('none')) return askForConsent(authorization, read, lab);
    violations.note('user-consent', 'The user has to be asked.', 'consent_required');
  }
  if (violations.refusing.length === 0 && !(await spendPushedRequest(read, lab))) noteReuse(violations);
  const { refusing } = violations;
  const response =
    refusing.length > 0 ? buildErrorResponse(refusing, state, lab) : await grantAuthorization(authorization, lab);
  return answerBrowser(authorization, response, lab.controls);
};

/**
 * Returns whether the consent page is needed. The user authenticates on that page too, so `prompt` and `max_age` need
 * nothing else.
 */
const isConsentRequired = ({ prompt, maxAge }: AuthorizationRequest, { controls }: Lab): boolean =>
  controls['user-consent'] || maxAge !== null || prompt.some((value) => value !== 'none');

const UNANSWERABLE = {
  title: 'This authorization request cannot be answered',
  lead: 'The browser is not sent anywhere, because the address to send it to cannot be trusted.',
};

/** Builds an error for the client (RFC 6749 section 4.1.2.1). There must be a violation. */
function buildErrorResponse([first]: readonly Violation[], state: string | null, lab: Lab): Record<string, string> {
  const error = { error: first?.error ?? 'invalid_request', error_description: first?.description ?? '' };
  return addStateAndIssuer(error, state, lab);
}

/** Lifetime of a code in seconds. RFC 6749 section 4.1.2 allows ten minutes. */
export const CODE_LIFETIME = 60;
/** Time for which a code is stored, in seconds. It can be redeemed until then if `code-lifetime` is off. */
export const CODE_KEPT = 3_600;

/** Issues a code, and tokens of the implicit grant if they are requested and `response-type-code` is off. */
async function grantAuthorization(authorization: AuthorizationRequest, lab: Lab): Promise<Record<string, string>> {
  const request: AuthorizedRequest = { ...authorization, authTime: Math.floor(lab.now() / 1000) };
  const response: Record<string, string> = {};
  if (request.responseTypes.includes('code')) response.code = await issueSecret(lab, 'code', request, CODE_KEPT);
  const grant = { ...request, grantId: generateId(lab), thumbprint: null };
  if (request.responseTypes.includes('token')) {
    const issued = await issueAccessToken(grant, lab);
    response.access_token = issued.token;
    response.token_type = 'Bearer';
    response.expires_in = String(issued.expiresIn);
  }
  if (request.responseTypes.includes('id_token'))
    response.id_token = await issueIdToken(grant, response.access_token ?? null, lab);
  return addStateAndIssuer(response, request.state, lab);
}

/** Adds `state` (RFC 6749 section 4.1.2) and `iss` (RFC 9207) to a success or an error. */
function addStateAndIssuer(response: Record<string, string>, state: string | null, lab: Lab): Record<string, string> {
  return {
    ...response,
    ...(state === null ? {} : { state }),
    ...(lab.controls['issuer-in-response'] ? { iss: lab.origin } : {}),
  };
}

/** Builds the address for the browser. Tokens travel in the fragment (RFC 6749 section 4.2.2), codes in the query. */
function buildRedirectTarget(redirectUri: string, response: Record<string, string>): string {
  const url = new URL(redirectUri);
  if ('access_token' in response || 'id_token' in response) url.hash = new URLSearchParams(response).toString();
  else for (const [name, value] of Object.entries(response)) url.searchParams.append(name, value);
  return url.href;
}

/** Builds the address of an answer. An answer sent by POST has no parameters in its address. */
function buildTarget({ redirectUri, responseMode }: AuthorizationRequest, response: Record<string, string>): string {
  return responseMode === 'form_post' ? redirectUri : buildRedirectTarget(redirectUri, response);
}

/** Sends the browser on with an answer, in the mode of the request. */
function answerBrowser(request: AuthorizationRequest, response: Record<string, string>, controls: Controls): Response {
  const { redirectUri, redirectRegistered, responseMode } = request;
  if (responseMode === 'form_post' && redirectRegistered) return postByBrowser(redirectUri, response, controls);
  return redirectBrowser(buildRedirectTarget(redirectUri, response), redirectRegistered, controls);
}

const CONSENT_LIFETIME = 600;

/**
 * A request that waits for consent. A form cannot send the controls header, so the controls of the request are stored.
 */
type PendingConsent = Pick<ReadRequest, 'pushed'> & { request: AuthorizationRequest; off: readonly ControlSwitch[] };

/** Shows the consent page (RFC 9700 section 4.15). The request is stored, and the page carries a one-time ticket. */
async function askForConsent(request: AuthorizationRequest, { pushed }: ReadRequest, lab: Lab): Promise<Response> {
  const pending: PendingConsent = { request, pushed, off: listDisabledControls(lab.controls) };
  const ticket = await issueSecret(lab, 'consent', pending, CONSENT_LIFETIME);
  const scopes = request.scope.split(' ').map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`);
  const page = {
    status: 200,
    title: 'Allow access?',
    body: `<p><code>${escapeHtml(request.clientId)}</code> asks to act for <strong>${escapeHtml(DEMO_USER.email)}</strong> with:</p>
<ul>${scopes.join('')}</ul>
<p>The answer goes to <code>${escapeHtml(request.redirectUri)}</code></p>
<form method="post" action="${escapeHtml(lab.origin + LAB_PATHS.decision)}">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<button type="submit" name="decision" value="approve">Allow</button><button type="submit" name="decision" value="deny">Deny</button>
</form>`,
    ...(request.redirectRegistered ? { formTarget: new URL(request.redirectUri).origin } : {}),
  };
  return answerPage(page, lab.controls);
}

/**
 * Handles `POST /auth/authorize/decision`: the answer of the consent page. Its ticket identifies the request that was
 * shown. Other fields of the form are ignored.
 */
export const decideConsent: LabHandler = async (request, lab) => {
  const decision = await readDecision<PendingConsent>(request, 'consent', lab);
  if (decision === null) return refuseTicket();
  const { isApproved, pending } = decision;
  const { request: authorization, pushed, off } = pending;
  const asAsked = { ...lab, controls: enableControlsExcept(...off) };
  if (!(await spendPushedRequest({ pushed }, asAsked))) return refuseTicket();
  const denied = { error: 'access_denied', error_description: 'The user denied access.' };
  const response = isApproved
    ? await grantAuthorization(authorization, asAsked)
    : addStateAndIssuer(denied, authorization.state, asAsked);
  return markWeakened(answerBrowser(authorization, response, asAsked.controls), new Violations(asAsked.controls));
};
