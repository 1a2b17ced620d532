import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { isUnusable } from '@/lib/oauth/lab/access-token';
import { answerErrorPage, answerPage, escapeHtml, redirectBrowser } from '@/lib/oauth/lab/browser-answers';
import { findClient, type LabClient } from '@/lib/oauth/lab/clients';
import { type ControlSwitch, enableControlsExcept, listDisabledControls } from '@/lib/oauth/lab/controls';
import { readDecision, refuseTicket } from '@/lib/oauth/lab/decision';
import { WEAK_ACCESS_TOKEN_LIFETIME } from '@/lib/oauth/lab/grant';
import { type Parameters, readBody, readQuery } from '@/lib/oauth/lab/parameters';
import { markWeakened, Violations } from '@/lib/oauth/lab/respond';
import type { Lab, LabHandler } from '@/lib/oauth/lab/services';
import { loadSigningKeys } from '@/lib/oauth/lab/signing-key';
import { issueSecret } from '@/lib/oauth/lab/tickets';

/** Destination of the browser after a logout. */
interface Destination {
  /** The address with the state of the request. */
  address: string;
  isRegistered: boolean;
}

/** The client and the session that an ID token names. */
interface Hint {
  clientId: string;
  /** Id of the grant, or null if the token names none. */
  session: string | null;
}

const LOGOUT_LIFETIME = 600;

/** A logout that waits for an answer. A form cannot send the controls header, so the controls are stored. */
interface PendingLogout {
  destination: Destination | null;
  off: readonly ControlSwitch[];
}

/**
 * Handles `GET` and `POST /auth/logout` (OpenID Connect RP-Initiated Logout 1.0 section 2). A session of the lab is a
 * grant, which the ID token in `id_token_hint` names. Its access tokens end. Its refresh tokens, which come with
 * `offline_access` only, stay (Back-Channel Logout section 2.7). A request without such a token asks the user first.
 */
export const logOut: LabHandler = async (request, lab, violations) => {
  const parameters = request.method === 'POST' ? await readBody(request, violations) : readQuery(request);
  parameters?.check(violations);
  const hint = parameters === null ? null : await readHint(parameters, violations, lab);
  const client = parameters === null ? null : findNamedClient(parameters, hint, violations, lab);
  const destination = parameters === null ? null : readDestination(parameters, client, violations);
  if (violations.refusing.length > 0) return answerErrorPage(violations, UNANSWERABLE);
  if (hint === null) return askBeforeLogout(client, destination, lab);
  if (hint.session !== null) await endSession(hint.session, lab);
  return answerEnd(destination, lab);
};

const UNANSWERABLE = {
  title: 'This logout request cannot be answered',
  lead: 'Nobody is signed out, and the browser is not sent anywhere.',
};

/**
 * Reads `id_token_hint`. It must be an ID token of the lab (RP-Initiated Logout section 4). It may have expired (section
 * 2). Returns null if there is none, or none that can be read.
 */
async function readHint(parameters: Parameters, violations: Violations, lab: Lab): Promise<Hint | null> {
  const token = parameters.get('id_token_hint');
  if (token === undefined) return null;
  const note = (description: string) => violations.note('logout-hint', description);
  try {
    const { typ } = decodeProtectedHeader(token);
    const { iss, aud, sid } = decodeJwt(token);
    if (!(await isSignedByLab(token, lab))) note('The signature of id_token_hint is wrong.');
    if (typ !== 'JWT') note('id_token_hint is not an ID token.');
    if (iss !== lab.origin) note('id_token_hint is from another issuer.');
    if (typeof aud === 'string') return { clientId: aud, session: typeof sid === 'string' ? sid : null };
    violations.note(null, 'id_token_hint names no client.');
  } catch (error) {
    if (!isUnusable(error)) throw error;
    violations.note(null, 'id_token_hint is malformed.');
  }
  return null;
}

async function isSignedByLab(token: string, lab: Lab): Promise<boolean> {
  const { kid } = decodeProtectedHeader(token);
  const key = (await loadSigningKeys(lab)).find((published) => published.kid === kid);
  if (key === undefined) return false;
  return compactVerify(token, key.publicKey, { algorithms: [key.algorithm] }).then(
    () => true,
    (error: unknown) => {
      if (isUnusable(error)) return false;
      throw error;
    },
  );
}

/** Returns the client of the request. `client_id` must agree with the ID token (RP-Initiated Logout section 2). */
function findNamedClient(
  parameters: Parameters,
  hint: Hint | null,
  violations: Violations,
  lab: Lab,
): LabClient | null {
  const named = parameters.get('client_id');
  if (named !== undefined && hint !== null && named !== hint.clientId) {
    violations.note('logout-hint', 'id_token_hint was issued to another client.');
  }
  const id = named ?? hint?.clientId;
  const client = findClient(lab.origin, id);
  if (id !== undefined && client === null) violations.note(null, 'No client has this client_id.');
  return client;
}

/** Reads `post_logout_redirect_uri`, which must be registered with the client (RP-Initiated Logout section 3). */
function readDestination(parameters: Parameters, client: LabClient | null, violations: Violations): Destination | null {
  const uri = parameters.get('post_logout_redirect_uri');
  if (uri === undefined) return null;
  if (!URL.canParse(uri)) {
    violations.note(null, 'post_logout_redirect_uri is not a URL.');
    return null;
  }
  const isRegistered = client?.postLogoutRedirectUris.includes(uri) ?? false;
  if (!isRegistered) {
    const problem = client === null ? 'needs a client_id or an id_token_hint.' : 'is not registered with the client.';
    violations.note('logout-redirect-uri', `post_logout_redirect_uri ${problem}`);
  }
  const url = new URL(uri);
  const state = parameters.get('state');
  if (state !== undefined) url.searchParams.append('state', state);
  return { address: url.href, isRegistered };
}

/** Ends the access tokens of a grant. */
async function endSession(session: string, lab: Lab): Promise<void> {
  if (!lab.controls['revocation-effective']) return;
  const until = lab.now() + 2 * WEAK_ACCESS_TOKEN_LIFETIME * 1000;
  await lab.state.revoke(`access:${session}`, 'revocation-effective', until);
}

/** Shows the page that asks, with a one-time ticket. Without an ID token there is no session to end. */
async function askBeforeLogout(client: LabClient | null, destination: Destination | null, lab: Lab): Promise<Response> {
  const pending: PendingLogout = { destination, off: listDisabledControls(lab.controls) };
  const ticket = await issueSecret(lab, 'logout', pending, LOGOUT_LIFETIME);
  const application = client === null ? 'An application' : `<code>${escapeHtml(client.id)}</code>`;
  const page = {
    status: 200,
    title: 'Sign out?',
    body: `<p>${application} asks to sign you out. The request has no ID token, so it names no session: this lab keeps none in the browser.</p>
${destination === null ? '' : `<p>The browser goes to <code>${escapeHtml(destination.address)}</code></p>`}
<form method="post" action="${escapeHtml(lab.origin + LAB_PATHS.logoutDecision)}">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<button type="submit" name="decision" value="approve">Sign out</button><button type="submit" name="decision" value="deny">Cancel</button>
</form>`,
    ...(destination?.isRegistered ? { formTarget: new URL(destination.address).origin } : {}),
  };
  return answerPage(page, lab.controls);
}

/** Handles `POST /auth/logout/decision`: the answer of the page that asks. A cancelled logout changes nothing. */
export const decideLogout: LabHandler = async (request, lab) => {
  const decision = await readDecision<PendingLogout>(request, 'logout', lab);
  if (decision === null) return refuseTicket();
  const { isApproved, pending } = decision;
  const asAsked = { ...lab, controls: enableControlsExcept(...pending.off) };
  const answer = isApproved
    ? answerEnd(pending.destination, asAsked)
    : answerPage(
        { status: 200, title: 'You are still signed in', body: '<p>Nothing has changed.</p>' },
        asAsked.controls,
      );
  return markWeakened(answer, new Violations(asAsked.controls));
};

function answerEnd(destination: Destination | null, { controls }: Lab): Response {
  if (destination !== null) return redirectBrowser(destination.address, destination.isRegistered, controls);
  return answerPage({ status: 200, title: 'You are signed out', body: '<p>You can close this page.</p>' }, controls);
}
