import type { ProvenMember } from '@/lib/auth/authenticate-member';
import { ApiError } from '@/lib/http/api-error';

/**
 * Requires that the password that allowed a change is still the member's. A reset may have replaced it since its check.
 * @throws ApiError conflict
 */
export function requireSamePassword(
  now: Pick<ProvenMember, 'passwordHash'>,
  proven: Pick<ProvenMember, 'passwordHash'>,
): void {
  if (now.passwordHash !== proven.passwordHash)
    throw new ApiError('conflict', 'Your password was replaced during this request; nothing was changed.');
}
