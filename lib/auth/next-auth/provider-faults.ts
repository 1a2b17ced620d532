import type { SignInRefusal } from '@/lib/contract/sign-in-refusals';

/** A fault, as the person who signs in sees it, with advice for the operator. */
interface ProviderFault {
  refusal: SignInRefusal;
  /** A sentence for the log. Null if it suffices to try again. */
  advice: string | null;
}

const TRY_AGAIN: ProviderFault = { refusal: 'SignInExpired', advice: null };
const UNREACHABLE = 'Check that this machine reaches the provider: name, network, firewall, proxy.';

/**
 * Faults by their code (of the network, of TLS) or message (of openid-client, jose and next-auth). The first match
 * wins.
 */
const FAULTS: readonly (readonly [pattern: RegExp, fault: ProviderFault])[] = [
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|certificate/,
    {
      refusal: 'ProviderMisconfigured',
      advice:
        "The provider's certificate is not trusted: set NODE_EXTRA_CA_CERTS to the certificate of its authority, or renew it.",
    },
  ],
  [
    /^(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)|UND_ERR_)/,
    { refusal: 'ProviderDown', advice: UNREACHABLE },
  ],
  [
    /timed out|due to timeout|fetch failed|socket hang up|(?:got:|answered) 5\d\d/i,
    { refusal: 'ProviderDown', advice: UNREACHABLE },
  ],
  [
    /invalid_client|unauthorized_client|incorrect_client_credentials|got: 401/,
    {
      refusal: 'ClientRefused',
      advice: 'Compare OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (or those of GITHUB) with the client at the provider.',
    },
  ],
  [
    /^JWT (?:expired|not active yet|issued too far)/,
    { refusal: 'ClocksDiffer', advice: 'Set the clock of this machine and that of the provider, with NTP.' },
  ],
  [
    /redirect_uri/,
    {
      refusal: 'ProviderMisconfigured',
      advice: 'Register the redirect URI <origin>/api/auth/callback/<provider> at the provider.',
    },
  ],
  [
    /cookie was missing|cookie was created for|could not be parsed|(?:state|nonce) (?:mismatch|missing)|invalid_grant|bad_verification_code|timestamp check failed|decryption operation failed|invalid compact jwe/i,
    TRY_AGAIN,
  ],
  [
    /unexpected iss value|^iss mismatch|got: 404/,
    {
      refusal: 'ProviderMisconfigured',
      advice: 'OIDC_ISSUER must be the issuer of the provider, letter by letter, as its metadata names it.',
    },
  ],
  [
    /unexpected JWT alg/,
    { refusal: 'ProviderMisconfigured', advice: 'Have the provider sign ID tokens for this client with RS256.' },
  ],
];

const UNUSABLE: ProviderFault = {
  refusal: 'ProviderMisconfigured',
  advice: 'Compare the variables of the provider, and the client there, with docs/sign-in.md.',
};

/** Finds the fault of an exchange with a provider. */
export function findProviderFault(fault: unknown): ProviderFault {
  const { message, code } = readMessageAndCode(fault);
  const found = FAULTS.find(([pattern]) => pattern.test(code) || pattern.test(message));
  return found?.[1] ?? UNUSABLE;
}

const REFUSED = /^(?:access_denied|login_required|consent_required|interaction_required|account_selection_required)$/;
const DOWN = /^(?:server_error|temporarily_unavailable)$/;

/** Finds the fault for a provider's `error` (RFC 6749 section 4.1.2.1, OpenID Connect Core 1.0 section 3.1.2.6). */
export function findProviderErrorFault(error: string): ProviderFault {
  if (REFUSED.test(error)) return { refusal: 'ProviderRefused', advice: null };
  if (DOWN.test(error)) return { refusal: 'ProviderDown', advice: null };
  return error === 'invalid_scope'
    ? { refusal: 'ProviderMisconfigured', advice: 'Have the provider allow this client the scopes of OIDC_SCOPE.' }
    : findProviderFault(new Error(error));
}

/**
 * Returns only the message of a fault, for the log. Other fields can hold tokens and profiles, and the expected value
 * of a mismatch is a secret.
 */
export function readFaultMessage(fault: unknown): string {
  const { message, code } = readMessageAndCode(fault);
  return message.replace(/^((?:state|nonce) mismatch),.*$/s, '$1') || code || 'unknown';
}

function readMessageAndCode(fault: unknown): { message: string; code: string } {
  if (!(fault instanceof Error)) return { message: '', code: '' };
  return { message: fault.message, code: 'code' in fault && typeof fault.code === 'string' ? fault.code : '' };
}
