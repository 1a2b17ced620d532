import { answerDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import type { DecisionCall } from '@/lib/enforcement/decision-api/decision-call';
import type { Answer } from '@/lib/http/error-response';
import type { Services } from '@/lib/operation/services';
import { forgetSingleton, singleton } from '@/lib/process/singleton';

/** What `server.mjs` finds on `globalThis` and calls before Next sees a call of the decision API. */
export type FastLane = (call: DecisionCall) => Promise<Answer>;

/** Opens the fast lane of this process. */
export function openFastLane(services: Services): void {
  forgetSingleton('fast-lane');
  singleton<FastLane>('fast-lane', () => (call) => answerDecisionCall(services, call));
}
