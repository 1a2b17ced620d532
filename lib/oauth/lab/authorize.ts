import { readAuthorizationRequest } from '@/lib/oauth/lab/authorization-request';
import {
  CODE_LIFETIME,
  grantAuthorization,
  redirectTarget,
  withStateAndIssuer,
} from '@/lib/oauth/lab/authorization-response';
import { answerPage, escapeHtml, redirectBrowser } from '@/lib/oauth/lab/browser-answers';
import { askForConsent } from '@/lib/oauth/lab/consent';
import type { Controls } from '@/lib/oauth/lab/controls';
import { readBody, readQuery } from '@/lib/oauth/lab/parameters';
import { takePushedRequest } from '@/lib/oauth/lab/pushed-request';
import { answerJson, refuse } from '@/lib/oauth/lab/respond';
import type { Lab, LabHandler } from '@/lib/oauth/lab/services';
import { controlsOf, type Violation } from '@/lib/oauth/lab/violation';

/**
 * `POST /auth/authorize`: the authorization endpoint for programs. Answers with JSON and never redirects; the demo user
 * agrees by the request itself.
 */
export const authorizeByPost: LabHandler = async (request, lab, violations) => {
  const body = await readBody(request, violations);
  if (body === null) return refuse(violations.refusing);
  if (
    !readQuery(request)
      .all('client_id')
      .every((id) => id === body.get('client_id'))
  ) {
    const description = 'client_id in the query differs from the one in the body.';
    violations.note('client-id-mixup', 'invalid_request', description);
  }
  const parameters = await takePushedRequest(body, violations, lab);
  const asked = readAuthorizationRequest(parameters, violations, lab).request;
  const { refusing } = violations;
  if (asked === null || refusing.length > 0) {
    const state = parameters.get('state') ?? null;
    const members: Record<string, unknown> = withStateAndIssuer({}, state, lab);
    if (asked?.redirectRegistered) members.redirect_to = errorTarget(asked.redirectUri, refusing, state, lab);
    return refuse(refusing, { members });
  }
  const response = await grantAuthorization(asked, lab);
  return answerJson(200, {
    ...response,
    redirect_uri: asked.redirectUri,
    redirect_to: redirectTarget(asked.redirectUri, response),
    expires_in: response.expires_in === undefined ? CODE_LIFETIME : Number(response.expires_in),
  });
};

/** `GET /auth/authorize`: the authorization endpoint for browsers (RFC 6749 section 4.1.1). */
export const authorizeByGet: LabHandler = async (request, lab, violations) => {
  const parameters = await takePushedRequest(readQuery(request), violations, lab);
  const usable = violations.refusing.length === 0;
  const { request: asked, claimedRedirect } = readAuthorizationRequest(parameters, violations, lab);
  const state = parameters.get('state') ?? null;
  const redirectError = ({ uri, registered }: { uri: string; registered: boolean }, refusing: readonly Violation[]) =>
    redirectBrowser(errorTarget(uri, refusing, state, lab), registered, lab.controls);
  const { refusing } = violations;
  if (asked === null || !usable) {
    const redirects = !lab.controls['no-open-redirect-on-error'] && claimedRedirect !== null;
    return redirects ? redirectError(claimedRedirect, refusing) : errorPage(refusing, lab.controls);
  }
  const redirect = { uri: asked.redirectUri, registered: asked.redirectRegistered };
  if (refusing.length > 0) return redirectError(redirect, refusing);
  if (lab.controls['user-consent']) {
    if (!asked.prompt.includes('none')) return askForConsent(asked, lab);
    const description = 'The user has to be asked.';
    return redirectError(redirect, [{ control: 'user-consent', error: 'consent_required', description }]);
  }
  const target = redirectTarget(asked.redirectUri, await grantAuthorization(asked, lab));
  return redirectBrowser(target, asked.redirectRegistered, lab.controls);
};

/** The redirect that carries an error (RFC 6749 section 4.1.2.1). There must be a violation. */
function errorTarget(uri: string, [first]: readonly Violation[], state: string | null, lab: Lab): string {
  const error = { error: first?.error ?? 'invalid_request', error_description: first?.description ?? '' };
  return redirectTarget(uri, withStateAndIssuer(error, state, lab));
}

function errorPage(violations: readonly Violation[], controls: Controls): Response {
  const items = violations.map(({ description }) => `<li>${escapeHtml(description)}</li>`).join('');
  const blockers = controlsOf(violations).map((id) => `<code>${escapeHtml(id)}</code>`);
  const page = {
    status: 400,
    title: 'This authorization request cannot be answered',
    body: `<p>The browser is not sent anywhere, because the address to send it to cannot be trusted.</p>
<ul>${items}</ul>${blockers.length === 0 ? '' : `<p>Blocked by ${blockers.join(', ')}.</p>`}`,
  };
  return answerPage(page, controls);
}
