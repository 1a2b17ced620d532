import { LAB_PATHS } from '@/lib/contract/lab-paths';
import type { AuthorizationRequest } from '@/lib/oauth/lab/authorization-request';
import { grantAuthorization, redirectTarget, withStateAndIssuer } from '@/lib/oauth/lab/authorization-response';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import { type Controls, controlsWithout, isControlSwitch, switchedOff } from '@/lib/oauth/lab/controls';
import { answerPage, escapeHtml } from '@/lib/oauth/lab/html-page';
import { readBody } from '@/lib/oauth/lab/parameters';
import { redirectBrowser } from '@/lib/oauth/lab/redirect-browser';
import { markWeakened } from '@/lib/oauth/lab/respond';
import { hashSecret, newSecret } from '@/lib/oauth/lab/secret';
import type { LabServices } from '@/lib/oauth/lab/services';

const CONSENT_LIFETIME_MS = 10 * 60_000;

interface PendingConsent {
  request: AuthorizationRequest;
  /** A form cannot send the controls header, so the controls of the request that asked are kept. */
  off: readonly string[];
}

/** The page that asks the user (RFC 9700 section 4.15). What was asked is kept; the page carries a one-time ticket. */
export async function askForConsent(
  request: AuthorizationRequest,
  controls: Controls,
  lab: LabServices,
): Promise<Response> {
  const ticket = newSecret(lab, 'slk_');
  const now = lab.now();
  const pending: PendingConsent = { request, off: switchedOff(controls) };
  await lab.state.put({
    kind: 'consent',
    hash: hashSecret(ticket),
    payload: JSON.stringify(pending),
    createdAt: now,
    expiresAt: now + CONSENT_LIFETIME_MS,
  });
  const scopes = request.scope.split(' ').map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`);
  return answerPage({
    status: 200,
    title: 'Allow access?',
    body: `<p><code>${escapeHtml(request.clientId)}</code> asks to act for <strong>${escapeHtml(DEMO_USER.email)}</strong> with:</p>
<ul>${scopes.join('')}</ul>
<p>The answer goes to <code>${escapeHtml(request.redirectUri)}</code></p>
<form method="post" action="${escapeHtml(lab.origin + LAB_PATHS.decision)}">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<button type="submit" name="decision" value="approve">Allow</button><button type="submit" name="decision" value="deny">Deny</button>
</form>`,
    frameProtection: controls['frame-protection'],
    referrerPolicy: controls['referrer-policy'],
    ...(request.redirectRegistered ? { formTarget: new URL(request.redirectUri).origin } : {}),
  });
}

/**
 * `POST /auth/authorize/decision`: the answer of the consent page. The ticket is secret, works once, and stands for the
 * request that was shown; nothing else in the form is believed.
 */
export async function decideConsent(request: Request, _controls: Controls, lab: LabServices): Promise<Response> {
  const body = await readBody(request);
  const ticket = body.ok ? body.parameters.get('ticket') : undefined;
  const decision = body.ok ? body.parameters.get('decision') : undefined;
  const sameSite = request.headers.get('sec-fetch-site') !== 'cross-site';
  if (!sameSite || ticket === undefined || (decision !== 'approve' && decision !== 'deny')) return unusable();

  const hash = hashSecret(ticket);
  const kept = await lab.state.read('consent', hash);
  if (kept === null || kept.expiresAt <= lab.now()) return unusable();
  if (!(await lab.state.claim('consent', hash, lab.now(), null))) return unusable();

  const pending: PendingConsent = JSON.parse(kept.payload);
  const controls = controlsWithout(...pending.off.filter(isControlSwitch));
  const asked = pending.request;
  const denied = { error: 'access_denied', error_description: 'The user denied access.' };
  const response =
    decision === 'approve'
      ? await grantAuthorization(asked, controls, lab)
      : withStateAndIssuer(denied, asked.state, controls, lab);
  const target = redirectTarget(asked.redirectUri, response);
  return markWeakened(redirectBrowser(target, asked.redirectRegistered, controls), controls, []);
}

function unusable(): Response {
  return answerPage({
    status: 400,
    title: 'This form cannot be used',
    body: '<p>Its page was already submitted, has expired, or is from another server. Start again at the application.</p>',
    frameProtection: true,
    referrerPolicy: true,
  });
}
