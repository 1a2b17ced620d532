import { LAB_PATHS } from '@/lib/contract/lab-paths';
import type { AuthorizationRequest } from '@/lib/oauth/lab/authorization-request';
import { grantAuthorization, redirectTarget, withStateAndIssuer } from '@/lib/oauth/lab/authorization-response';
import { answerPage, escapeHtml, redirectBrowser } from '@/lib/oauth/lab/browser-answers';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import { controlsWithout, isControlSwitch, SECURE_CONTROLS, switchedOff } from '@/lib/oauth/lab/controls';
import { readBody } from '@/lib/oauth/lab/parameters';
import { markWeakened } from '@/lib/oauth/lab/respond';
import type { Lab, LabHandler } from '@/lib/oauth/lab/services';
import { handOut, readTicket } from '@/lib/oauth/lab/tickets';
import { Violations } from '@/lib/oauth/lab/violation';

const CONSENT_LIFETIME = 600;

interface PendingConsent {
  request: AuthorizationRequest;
  /** A form cannot send the controls header, so the controls of the request that asked are kept. */
  off: readonly string[];
}

/** The page that asks the user (RFC 9700 section 4.15). What was asked is kept; the page carries a one-time ticket. */
export async function askForConsent(request: AuthorizationRequest, lab: Lab): Promise<Response> {
  const pending: PendingConsent = { request, off: switchedOff(lab.controls) };
  const ticket = await handOut(lab, 'consent', pending, CONSENT_LIFETIME);
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
 * `POST /auth/authorize/decision`: the answer of the consent page. The ticket is secret, works once, and stands for the
 * request that was shown; nothing else in the form is believed.
 */
export const decideConsent: LabHandler = async (request, lab) => {
  const body = await readBody(request, new Violations(lab.controls));
  const ticket = body?.get('ticket');
  const decision = body?.get('decision');
  const sameSite = request.headers.get('sec-fetch-site') !== 'cross-site';
  if (!sameSite || ticket === undefined || (decision !== 'approve' && decision !== 'deny')) return unusable();
  const kept = await readTicket(lab, 'consent', ticket);
  if (kept === null || !(await lab.state.claim('consent', kept.hash, lab.now(), null))) return unusable();

  const { request: asked, off }: PendingConsent = JSON.parse(kept.payload);
  const asAsked = { ...lab, controls: controlsWithout(...off.filter(isControlSwitch)) };
  const denied = { error: 'access_denied', error_description: 'The user denied access.' };
  const response =
    decision === 'approve'
      ? await grantAuthorization(asked, asAsked)
      : withStateAndIssuer(denied, asked.state, asAsked);
  const target = redirectTarget(asked.redirectUri, response);
  const answer = redirectBrowser(target, asked.redirectRegistered, asAsked.controls);
  return markWeakened(answer, asAsked, new Violations(asAsked.controls));
};

function unusable(): Response {
  const page = {
    status: 400,
    title: 'This form cannot be used',
    body: '<p>Its page was already submitted, has expired, or is from another server. Start again at the application.</p>',
  };
  return answerPage(page, SECURE_CONTROLS);
}
