import type { Checker } from '@/client/adapters/limit-request';
import type { Check } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';
import { SluiceError } from '@/client/error';

/** State of a limit before the next request. Null while the counters cannot be read. */
interface ExplainedLimit {
  subject: string;
  limit: number;
  used: number | null;
  remaining: number | null;
  reset: number | null;
}

type ResetTarget =
  | { type: 'ip' | 'user_id'; identifier: string; class: NonNullable<Check['class']> }
  | { type: 'subject'; identifier: string; limit_name: string };

/** Methods of the client that a drop-in for another library uses. */
export interface LimitClient extends Checker {
  readonly limits: {
    explain(check: Check): PromiseLike<{ subjects: readonly ExplainedLimit[] }>;
    reset(target: ResetTarget): PromiseLike<unknown>;
  };
}

/** Check of one subject, in one class or under one named limit. */
export type SubjectCheck =
  | (Pick<Check, 'ip' | 'user_id'> & { class: NonNullable<Check['class']> })
  | { limits: [{ name: string; subject: string }] };

export function addCost(check: SubjectCheck, cost: number): Check {
  if (!('limits' in check)) return { ...check, cost };
  return { limits: check.limits.map((limit) => ({ ...limit, cost })) };
}

/**
 * Reads the limit of a subject without counting, the tightest window of a named limit.
 * @throws SluiceError `forbidden` if the token has the role `gateway`
 */
export async function readLimit({ limits }: LimitClient, check: SubjectCheck): Promise<ExplainedLimit> {
  const { subjects } = await limits.explain(check);
  const [found] = subjects.toSorted((one, other) => (one.remaining ?? 0) - (other.remaining ?? 0));
  if (found === undefined) throw new SluiceError('unexpected_answer', 'The server explained no limit.');
  return found;
}

/** Clears the counter of a subject. @throws SluiceError `forbidden` if the token has the role `gateway` */
export async function resetLimit({ limits }: LimitClient, check: SubjectCheck): Promise<void> {
  if ('limits' in check) {
    const [{ name, subject }] = check.limits;
    await limits.reset({ type: 'subject', identifier: subject, limit_name: name });
    return;
  }
  const { ip, user_id, class: name } = check;
  await limits.reset({ type: ip === undefined ? 'user_id' : 'ip', identifier: ip ?? user_id ?? '', class: name });
}

/** True if a limit refused, and not a fault. */
export function isOverLimit({ allowed, error }: CheckAnswer): boolean {
  return !allowed && /^(user_|client_)?rate_limit_exceeded$/.test(error ?? '');
}
