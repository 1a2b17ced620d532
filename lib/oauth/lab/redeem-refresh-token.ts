import type { Controls } from '@/lib/oauth/lab/controls';
import type { Grant } from '@/lib/oauth/lab/grant';
import { issueRefreshToken, tokenResponse } from '@/lib/oauth/lab/issue-tokens';
import { readResources } from '@/lib/oauth/lab/resources';
import { revocationViolation, revokeGrant } from '@/lib/oauth/lab/revocation';
import type { LabServices } from '@/lib/oauth/lab/services';
import {
  type NoteViolation,
  readTicket,
  type TokenRequest,
  type TokenRequestOutcome,
} from '@/lib/oauth/lab/token-request';
import { applyControls, type Violation } from '@/lib/oauth/lab/violation';

const USED: Violation = {
  control: 'refresh-rotation',
  error: 'invalid_grant',
  description: 'The refresh token was used before.',
};

/**
 * The refresh token grant (RFC 6749 section 6) with rotation (RFC 9700 section 4.14.2): every use gives a new token, and
 * the use of an old one ends the whole family, access tokens included.
 */
export async function redeemRefreshToken(
  asked: TokenRequest,
  controls: Controls,
  lab: LabServices,
): Promise<TokenRequestOutcome> {
  const violations = [...asked.violations];
  const note: NoteViolation = (control, description, error = 'invalid_grant') =>
    violations.push({ control, error, description });
  const refused = (): TokenRequestOutcome => ({ response: null, ...applyControls(violations, controls) });
  const ticket = await readTicket(asked, 'refresh', note, lab);
  if (ticket === null) return refused();
  const grant: Grant = JSON.parse(ticket.payload);
  if (grant.clientId !== asked.client.id)
    note('refresh-client-binding', 'The refresh token belongs to another client.');
  for (const control of await lab.state.revokedBy([`refresh:${grant.grantId}`, `grant:${grant.grantId}`])) {
    violations.push(revocationViolation(control, 'invalid_grant'));
  }
  const scope = narrowScope(asked.parameters.get('scope'), grant.scope);
  if (scope === null) note('refresh-scope', 'scope asks for more than was granted.', 'invalid_scope');
  const resources = readResources(asked.parameters, violations, grant.resources);
  if (grant.thumbprint !== null && grant.thumbprint !== asked.thumbprint && asked.client.secret === null) {
    note('sender-constrained', 'The refresh token is bound to a key without proof of possession.');
  }

  if (applyControls(violations, controls).refusing.length > 0) {
    if (ticket.usedAt !== null) violations.push(USED);
    return refused();
  }
  const first = await lab.state.claim('refresh', ticket.hash, lab.now(), null);
  if (!first) {
    violations.push(USED);
    if (controls['refresh-rotation']) {
      if (controls['refresh-reuse-revokes']) await revokeGrant(grant.grantId, 'refresh-reuse-revokes', lab);
      return refused();
    }
  }
  const next: Grant = {
    ...grant,
    clientId: asked.client.id,
    thumbprint: asked.thumbprint ?? grant.thumbprint,
  };
  const refreshToken = controls['refresh-rotation']
    ? await issueRefreshToken(next, lab)
    : (asked.parameters.get('refresh_token') ?? null);
  const issued: Grant = {
    ...next,
    scope: scope ?? grant.scope,
    resources,
    nonce: null,
  };
  return { response: await tokenResponse(issued, refreshToken, controls, lab), ...applyControls(violations, controls) };
}

/** The scope that a refreshed token gets, or null when it asks for more than was granted (RFC 6749 section 6). */
function narrowScope(asked: string | undefined, granted: string): string | null {
  if (asked === undefined) return granted;
  const values = asked.split(' ').filter((value) => value !== '');
  return values.every((value) => granted.split(' ').includes(value)) ? values.join(' ') : null;
}
