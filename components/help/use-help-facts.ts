import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCall } from '@/components/api/use-call';
import { explain } from '@/components/explanation/ask';
import { buildQuestion } from '@/components/links/explain-question';
import type { HelpRequest } from '@/components/links/help-target';
import { type LoggedDecision, listDecisions } from '@/lib/contract/decisions';
import { listLimits } from '@/lib/contract/named-limits';
import { HOUR } from '@/lib/units';

/** Refresh interval while the drawer is open, in milliseconds. */
const REFRESH = 3_000;
/** Maximum number of refusals read from the last hour. */
export const MOST = 500;

/**
 * Reads the facts for the drawer: the newest refusals, the one in question, and how the same request is decided now.
 */
export function useHelpFacts(request: HelpRequest) {
  const { type, identifier } = request;
  const refusals = useCall(
    ['decisions', 'help', type, identifier],
    listDecisions,
    { query: { type, identifier, outcome: 'refused', limit: String(MOST) } },
    { refetchInterval: 5_000 },
  );
  const listed = refusals.data?.value;
  const decision = request.decision ?? findMainRefusal(listed ?? []);
  const asksAll = type === 'subject' && decision === undefined;
  const limits = useCall(['limits'], listLimits, {}, { enabled: asksAll });
  const names = limits.data?.value.map(({ name }) => name);
  const question = buildQuestion(request, decision, type === 'client_id' ? 'auth' : 'read', names);
  const explanation = useQuery({
    queryKey: ['explain', question, decision?.class],
    queryFn: ({ signal }) => explain(question, decision?.class, signal),
    enabled:
      (request.decision !== undefined || refusals.data !== undefined || refusals.isError) &&
      (!asksAll || names !== undefined),
    refetchInterval: REFRESH,
    placeholderData: keepPreviousData,
  });
  return { listed, decision, question, explanation };
}

/** Returns the newest refusal of the class or named limit that refused most in the hour before the newest refusal. */
function findMainRefusal(refusals: readonly LoggedDecision[]): LoggedDecision | undefined {
  const from = Date.parse(refusals[0]?.at ?? '') - HOUR;
  const newest = new Map<string, { refusal: LoggedDecision; count: number }>();
  for (const refusal of refusals.filter(({ at }) => Date.parse(at) > from)) {
    const name = `${refusal.class} ${refusal.limit_name}`;
    const before = newest.get(name);
    newest.set(name, { refusal: before?.refusal ?? refusal, count: (before?.count ?? 0) + refusal.count });
  }
  return [...newest.values()].sort((a, b) => b.count - a.count)[0]?.refusal;
}
