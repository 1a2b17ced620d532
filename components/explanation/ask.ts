import { call } from '@/components/api/call';
import type { ExplainQuestion } from '@/components/links/explain-question';
import { type DecisionExplanation, explainDecision } from '@/lib/contract/explain';
import type { EndpointClass } from '@/lib/limiter/meter';

/**
 * Explains a question. A recorded decision keeps its class, even if today's rules would choose another: a check sets
 * its class itself, and its path has no influence.
 */
export async function explain(
  question: ExplainQuestion,
  expected: EndpointClass | null | undefined,
  signal?: AbortSignal,
): Promise<DecisionExplanation> {
  const { value } = await call(explainDecision, { body: question, signal });
  if (expected == null || value.class === expected) return value;
  return (await call(explainDecision, { body: { ...question, class: expected }, signal })).value;
}
