import type { ControlSwitch } from '@/lib/oauth/lab/controls';
import type { LabServices } from '@/lib/oauth/lab/services';
import type { Violations } from '@/lib/oauth/lab/violation';

/** Life of an access token where `short-token-lifetime` is off, in seconds. */
export const WEAK_ACCESS_TOKEN_LIFETIME = 86_400;
/** Life of a refresh token in seconds; each rotation restarts it. */
export const REFRESH_TOKEN_LIFETIME = 86_400;

/** What was granted to whom: access tokens, ID tokens and refresh tokens are issued from it. */
export interface Grant {
  /** All tokens that came of one code, refreshed ones included, share it. */
  grantId: string;
  clientId: string;
  scope: string;
  nonce: string | null;
  /** RFC 8707; empty means `/api/data`. */
  resources: readonly string[];
  /** RFC 9449: thumbprint of the key that tokens are bound to, or null. */
  thumbprint: string | null;
}

const DESCRIPTIONS: Partial<Record<ControlSwitch, string>> = {
  'revocation-cascade': 'The refresh token behind the token was revoked.',
  'code-reuse-revokes': 'The code behind the token was used twice.',
  'refresh-reuse-revokes': 'A refresh token of the same family was used twice.',
};

/** Notes what presenting a token violates that was revoked under one of these ids: the control in whose name it was. */
export async function noteRevocations(
  ids: readonly string[],
  error: 'invalid_grant' | 'invalid_token',
  violations: Violations,
  lab: LabServices,
): Promise<void> {
  const status = error === 'invalid_token' ? 401 : undefined;
  for (const control of await lab.state.revokedBy(ids)) {
    violations.note(control, error, DESCRIPTIONS[control] ?? 'The token was revoked.', status);
  }
}

/** Notes the revocations of a grant's refresh tokens. */
export function noteRevokedRefresh({ grantId }: Grant, violations: Violations, lab: LabServices): Promise<void> {
  return noteRevocations([`refresh:${grantId}`, `grant:${grantId}`], 'invalid_grant', violations, lab);
}

/** Ends all tokens of a grant, refresh tokens included, for longer than the last of them lives. */
export async function revokeGrant(
  grantId: string,
  control: 'code-reuse-revokes' | 'refresh-reuse-revokes',
  lab: LabServices,
): Promise<void> {
  const longest = Math.max(REFRESH_TOKEN_LIFETIME, WEAK_ACCESS_TOKEN_LIFETIME) * 1000;
  await lab.state.revoke(`grant:${grantId}`, control, lab.now() + 2 * longest);
}
