import { call } from '@/components/call';
import { type DecisionExplanation, explainDecision } from '@/lib/contract/explain';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import type { EndpointClass } from '@/lib/limiter/meter';

/** A question for `explainDecision`: its body without a secret. */
export interface ExplainQuestion {
  class?: EndpointClass;
  method?: string;
  path?: string;
  ip?: string;
  user_id?: string;
  api_key_id?: string;
  client_id?: string;
  client_type?: ClientType;
}

/**
 * Explains a question. The class of a recorded decision is kept where the rules of today would choose another one: a
 * check names its class itself, and its path says nothing then.
 */
export async function explain(
  question: ExplainQuestion,
  expected: EndpointClass | undefined,
  signal?: AbortSignal,
): Promise<DecisionExplanation> {
  const { value } = await call(explainDecision, { body: question, signal });
  if (expected === undefined || value.class === expected) return value;
  return (await call(explainDecision, { body: { ...question, class: expected }, signal })).value;
}
