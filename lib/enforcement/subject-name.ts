import { createHash } from 'node:crypto';
import { withoutTokens } from '@/lib/logging/without-tokens';

const DIGEST = 16;

/**
 * What a stranger says who they are, as it may be counted, stored and listed: where somebody has put a credential in the
 * place of a name, its digest stands for what of it must not be kept. Different names stay different.
 */
export function subjectName(given: string): string {
  const shown = withoutTokens(given);
  return shown === given ? given : shown + createHash('sha256').update(given).digest('base64url').slice(0, DIGEST);
}
