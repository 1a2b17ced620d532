import type { Check, EndpointClass } from '@/client/api';
import { answerUnlimited, type CheckAnswer, isByLimitsOnly, readClass } from '@/client/check-answer';
import type { SluiceError } from '@/client/error';
import type { LocalLimiter } from '@/client/local-limiter';
import { type ClientPolicies, isUncounted } from '@/client/policies';

/**
 * Replaces a server decision: `allow`, `deny` (as `service_unavailable`), `local` (this process at half the limit),
 * `throw` (the `SluiceError`).
 */
export type Substitute = 'allow' | 'deny' | 'local' | 'throw';

/** Substitutes by class, and of `limits`: all named limits. Others keep their default. */
type Substitutes = Partial<Readonly<Record<EndpointClass | 'limits', Substitute>>>;

/**
 * One substitute for all checks, one per class and for named limits, or a function per check, which may also return an
 * answer.
 */
export type OnUnreachable = Substitute | Substitutes | ((check: Check, error: SluiceError) => Substitute | CheckAnswer);

interface SubstituteOptions {
  onUnreachable?: OnUnreachable;
  /** Policies that list the closed classes, as for the server while its store is down. */
  policies: ClientPolicies;
  local: LocalLimiter;
  now: number;
}

/** Answers a check that the server did not decide. @throws SluiceError for `throw`; any error of the function */
export function answerUnreachable(
  check: Check,
  error: SluiceError,
  { onUnreachable = {}, policies, local, now }: SubstituteOptions,
): CheckAnswer {
  const named = typeof onUnreachable === 'function' ? onUnreachable(check, error) : onUnreachable;
  if (typeof named === 'object' && 'allowed' in named) return named;
  if (isUncounted(check, policies)) return answerUnlimited(check, { allowed: true, status: 'unreachable' });
  switch (typeof named === 'string' ? named : chooseStrictest(check, named, policies)) {
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

/** Strictest first. */
const STRICTEST: readonly Substitute[] = ['throw', 'deny', 'local', 'allow'];

/** Returns the strictest substitute of the class and the named limits of a check. A limit that is not cached is closed. */
function chooseStrictest(check: Check, named: Substitutes, { classes, limits }: ClientPolicies): Substitute {
  const readSubstitute = (policy: Pick<ClientPolicies['classes']['read'], 'on_store_failure'> | undefined) =>
    policy?.on_store_failure === 'local' ? 'local' : 'deny';
  const name = isByLimitsOnly(check) ? null : readClass(check);
  const all = (check.limits ?? []).map((limit) => named.limits ?? readSubstitute(limits.get(limit.name)));
  if (name !== null) all.push(named[name] ?? readSubstitute(classes[name]));
  return STRICTEST.find((substitute) => all.includes(substitute)) ?? 'deny';
}
