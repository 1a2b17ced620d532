import type { Check, EndpointClass } from '@/client/api';
import { answerUnlimited, type CheckAnswer, readClass } from '@/client/check-answer';
import type { SluiceError } from '@/client/error';
import type { LocalLimiter } from '@/client/local-limiter';
import { type ClientPolicies, isUncounted } from '@/client/policies';

/**
 * Replaces a server decision: `allow`, `deny` (as `service_unavailable`), `local` (this process at half the limit),
 * `throw` (the `SluiceError`).
 */
export type Substitute = 'allow' | 'deny' | 'local' | 'throw';

/**
 * One substitute for all checks, one per class (others keep their default), or a function per check, which may also
 * return an answer.
 */
export type OnUnreachable =
  | Substitute
  | Partial<Readonly<Record<EndpointClass, Substitute>>>
  | ((check: Check, error: SluiceError) => Substitute | CheckAnswer);

interface SubstituteOptions {
  onUnreachable?: OnUnreachable;
  /** Policies that list the closed classes, as for the server while its store is down. */
  policies: ClientPolicies;
  local: LocalLimiter;
  now: number;
}

/** Answers a check that the server did not decide. @throws SluiceError for `throw`; any error of the function */
export function substituteFor(
  check: Check,
  error: SluiceError,
  { onUnreachable = {}, policies, local, now }: SubstituteOptions,
): CheckAnswer {
  const named = typeof onUnreachable === 'function' ? onUnreachable(check, error) : onUnreachable;
  if (typeof named === 'object' && 'allowed' in named) return named;
  if (isUncounted(check, policies)) return answerUnlimited(check, { allowed: true, status: 'unreachable' });
  const name = readClass(check);
  const usual = policies.classes[name].on_store_failure === 'closed' ? 'deny' : 'local';
  const substitute = typeof named === 'string' ? named : (named[name] ?? usual);
  switch (substitute) {
    case 'throw':
      throw error;
    case 'local':
      return local.decide(check, now);
    case 'allow':
      return answerUnlimited(check, { allowed: true, status: 'unreachable' });
    default:
      return answerUnlimited(check, {
        allowed: false,
        status: 'unreachable',
        error: 'service_unavailable',
        error_description: 'The rate limiter could not be reached.',
        retry_after: Math.max(1, error.retryAfter ?? 1),
      });
  }
}
