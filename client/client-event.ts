import type { Check } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';
import type { SluiceError } from '@/client/error';
import type { ReachState } from '@/client/server-breaker';

/** What the client does, for metrics. */
export type ClientEvent =
  /** A request with `checks` checks ended: answered, failed with `error`, or given up because nobody waited any more. */
  | {
      kind: 'request';
      outcome: 'answered' | 'failed' | 'given_up';
      checks: number;
      milliseconds: number;
      error?: SluiceError;
    }
  /** No server decided a check; `answer` is absent where `onUnreachable` throws. */
  | { kind: 'unreachable'; check: Check; error: SluiceError; answer?: CheckAnswer }
  /** A refusal was repeated without asking. */
  | { kind: 'remembered'; check: Check; answer: CheckAnswer }
  /** The breaker opened, lets a check try, or closed. */
  | { kind: 'breaker'; state: ReachState };
