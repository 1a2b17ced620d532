import type { SignInRefusal } from '@/lib/contract/sign-in-refusals';

/** Codes of a connection that failed or was lost. */
const NETWORK =
  /^(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)|UND_ERR_)/;
const NO_ANSWER = /timed out|due to timeout|fetch failed|socket hang up|(?:got:|answered) 5\d\d/i;
/** Messages of openid-client, jose and next-auth for a sign-in that began too long ago, or in another browser. */
const EXPIRED =
  /cookie was missing|cookie was created for|could not be parsed|(?:state|nonce) (?:mismatch|missing)|invalid_grant|bad_verification_code|timestamp check failed|decryption operation failed|invalid compact jwe/i;

/** The refusal for a fault of the exchange with a provider. */
export function refusalOf(fault: unknown): SignInRefusal {
  const { message, code } = partsOf(fault);
  if (NETWORK.test(code) || NO_ANSWER.test(message)) return 'ProviderDown';
  return EXPIRED.test(message) ? 'SignInExpired' : 'ProviderMisconfigured';
}

/**
 * The refusal that a provider's own `error` is (RFC 6749 section 4.1.2.1, OpenID Connect Core 1.0 section 3.1.2.6).
 */
export function refusalOfProviderError(error: string): SignInRefusal {
  switch (error) {
    case 'access_denied':
    case 'login_required':
    case 'consent_required':
    case 'interaction_required':
    case 'account_selection_required':
      return 'ProviderRefused';
    case 'server_error':
    case 'temporarily_unavailable':
      return 'ProviderDown';
    default:
      return 'ProviderMisconfigured';
  }
}

/**
 * The message of a fault for the log, and nothing else: its other fields can hold tokens and profiles, and the expected
 * value of a mismatch is a secret.
 */
export function reasonOf(fault: unknown): string {
  const { message, code } = partsOf(fault);
  return message.replace(/^(\w+ mismatch),.*$/s, '$1') || code || 'unknown';
}

function partsOf(fault: unknown): { message: string; code: string } {
  if (!(fault instanceof Error)) return { message: '', code: '' };
  const { code } = fault as Error & { code?: unknown };
  return { message: fault.message, code: typeof code === 'string' ? code : '' };
}
