import type { ControlSwitch } from '@/lib/oauth/lab/controls';
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
