import { OUTCOME_NAMES, REASON_NAMES } from '@/components/decisions/decision-words';
import { FilterValue } from '@/components/decisions/filter-value';
import { Badge } from '@/components/ui/badge';
import type { LoggedDecision } from '@/lib/contract/decisions';

const VARIANT = { refused: 'destructive', bypassed: 'success', degraded: 'warning' } as const;

interface DecisionBadgeProps {
  decision: Pick<LoggedDecision, 'outcome' | 'reason'>;
  onFilter?: () => void;
}

/** What was decided and why, in a word. A click shows all that were decided alike. */
export function DecisionBadge({ decision: { outcome, reason }, onFilter }: DecisionBadgeProps) {
  const by =
    reason === null ? ({ by: 'outcome', value: outcome } as const) : ({ by: 'reason', value: reason } as const);
  return (
    <FilterValue {...by} onFilter={onFilter}>
      <Badge variant={VARIANT[outcome]}>{reason ? (REASON_NAMES[reason] ?? reason) : OUTCOME_NAMES[outcome]}</Badge>
    </FilterValue>
  );
}
