import type { Check } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';
import type { SluiceError } from '@/client/error';
import type { ReachState } from '@/client/server-breaker';

/** Event of the client, for metrics. */
export type ClientEvent =
  /** A request with `checks` checks ended: answered, failed with `error`, or dropped after all its checks had ended. */
  | {
      kind: 'request';
      outcome: 'answered' | 'failed' | 'given_up';
      checks: number;
      milliseconds: number;
      error?: SluiceError;
    }
  /** No server decided a check. `answer` is absent if `onUnreachable` throws. */
  | { kind: 'unreachable'; check: Check; error: SluiceError; answer?: CheckAnswer }
  /** An earlier refusal was repeated without a request. */
  | { kind: 'remembered'; check: Check; answer: CheckAnswer }
  /** A reservation could not be settled. Its units stay counted, and its places are free when their lease ends. */
  | { kind: 'unsettled'; id: string; error: SluiceError }
  /** The breaker opened, half-opened for a trial, or closed. */
  | { kind: 'breaker'; state: ReachState };
