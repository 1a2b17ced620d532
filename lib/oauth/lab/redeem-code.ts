import { createHash } from 'node:crypto';
import { CODE_LIFETIME, type CodePayload } from '@/lib/oauth/lab/authorization-response';
import type { Controls } from '@/lib/oauth/lab/controls';
import { type Grant, newGrantId } from '@/lib/oauth/lab/grant';
import { issueRefreshToken, tokenResponse } from '@/lib/oauth/lab/issue-tokens';
import { readResources } from '@/lib/oauth/lab/resources';
import { revokeGrant } from '@/lib/oauth/lab/revocation';
import { sameSecret } from '@/lib/oauth/lab/secret';
import type { LabServices } from '@/lib/oauth/lab/services';
import {
  type NoteViolation,
  readTicket,
  type TokenRequest,
  type TokenRequestOutcome,
} from '@/lib/oauth/lab/token-request';
import { applyControls, type Violation } from '@/lib/oauth/lab/violation';

const USED: Violation = {
  control: 'code-single-use',
  error: 'invalid_grant',
  description: 'The code was used before.',
};

/**
 * The authorization code grant (RFC 6749 section 4.1.3, RFC 7636 section 4.6). A code is consumed by the one request
 * that is right in every other respect; a second such request revokes what the first one got.
 */
export async function redeemCode(
  asked: TokenRequest,
  controls: Controls,
  lab: LabServices,
): Promise<TokenRequestOutcome> {
  const violations = [...asked.violations];
  const note: NoteViolation = (control, description, error = 'invalid_grant') =>
    violations.push({ control, error, description });
  const refused = (): TokenRequestOutcome => ({ response: null, ...applyControls(violations, controls) });
  const ticket = await readTicket(asked, 'code', note, lab);
  if (ticket === null) return refused();
  const now = lab.now();
  const payload: CodePayload = JSON.parse(ticket.payload);
  if (ticket.createdAt + CODE_LIFETIME * 1000 <= now) note('code-lifetime', 'The code has expired.');
  if (payload.clientId !== asked.client.id) note('code-client-binding', 'The code was issued to another client.');
  checkRedirectUri(asked, payload, note);
  checkVerifier(asked, payload, note);
  const resources = readResources(asked.parameters, violations, payload.resources);

  if (applyControls(violations, controls).refusing.length > 0) {
    if (ticket.usedAt !== null) violations.push(USED);
    return refused();
  }
  const grantId = newGrantId(lab);
  const first = await lab.state.claim('code', ticket.hash, now, grantId);
  if (!first) {
    violations.push(USED);
    const used = await lab.state.read('code', ticket.hash);
    if (controls['code-reuse-revokes'] && used?.mark) await revokeGrant(used.mark, 'code-reuse-revokes', lab);
    if (controls['code-single-use']) return refused();
    await lab.state.remark('code', ticket.hash, grantId);
  }
  const grant: Grant = {
    grantId,
    clientId: asked.client.id,
    scope: payload.scope,
    nonce: payload.nonce,
    resources,
    thumbprint: asked.thumbprint,
  };
  const refreshToken = payload.scope.split(' ').includes('offline_access') ? await issueRefreshToken(grant, lab) : null;
  return { response: await tokenResponse(grant, refreshToken, controls, lab), ...applyControls(violations, controls) };
}

/**
 * RFC 6749 section 4.1.3. OAuth 2.1 (section 10.2 of its draft) lets clients that use PKCE leave the parameter out, and
 * has it enforced when it is sent.
 */
function checkRedirectUri(asked: TokenRequest, payload: CodePayload, note: NoteViolation): void {
  const sent = asked.parameters.get('redirect_uri');
  if (sent === undefined) {
    if (payload.redirectSent && payload.challenge === null) {
      note('code-redirect-binding', 'redirect_uri is missing, and the code has no PKCE challenge.');
    }
  } else if (sent !== payload.redirectUri) {
    note('code-redirect-binding', 'redirect_uri differs from the one in the authorization request.');
  }
}

function checkVerifier(asked: TokenRequest, payload: CodePayload, note: NoteViolation): void {
  const verifier = asked.parameters.get('code_verifier');
  const challenge = payload.challenge;
  if (challenge === null) {
    if (verifier !== undefined) note('pkce-downgrade', 'A code_verifier is sent for a code without a code_challenge.');
    return;
  }
  if (verifier === undefined) {
    note('pkce-verified', 'code_verifier is missing.');
    return;
  }
  if (challenge.method === 'S256' && sameSecret(verifier, challenge.value)) {
    note('pkce-method-downgrade', 'The code_challenge itself is not a code_verifier.');
  }
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) {
    note('pkce-verified', 'code_verifier must be 43 to 128 unreserved characters.');
    return;
  }
  const derived = challenge.method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url');
  if (!sameSecret(derived, challenge.value)) note('pkce-verified', 'code_verifier does not match the code_challenge.');
}
