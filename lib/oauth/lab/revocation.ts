import type { ControlSwitch } from '@/lib/oauth/lab/controls';
import { REFRESH_TOKEN_LIFETIME, WEAK_ACCESS_TOKEN_LIFETIME } from '@/lib/oauth/lab/issue-tokens';
import type { LabServices } from '@/lib/oauth/lab/services';
import type { Violation } from '@/lib/oauth/lab/violation';

const DESCRIPTIONS: Partial<Record<ControlSwitch, string>> = {
  'revocation-effective': 'The token was revoked.',
  'revocation-cascade': 'The refresh token behind the token was revoked.',
  'code-reuse-revokes': 'The code behind the token was used twice.',
  'refresh-reuse-revokes': 'A refresh token of the same family was used twice.',
};

/** What presenting a revoked token violates: the control in whose name it was revoked. */
export function revocationViolation(control: ControlSwitch, error: 'invalid_grant' | 'invalid_token'): Violation {
  const description = DESCRIPTIONS[control] ?? 'The token was revoked.';
  return { control, error, description, ...(error === 'invalid_token' ? { status: 401 } : {}) };
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
