import { OUTCOME_NAMES } from '@/components/decisions/decision-words';
import { FilterValue } from '@/components/decisions/filter-value';
import { Badge } from '@/components/ui/badge';
import { nameReason } from '@/components/vocabulary/reasons';
import type { LoggedDecision } from '@/lib/contract/decisions';

const VARIANT = { refused: 'destructive', bypassed: 'bypassed', degraded: 'warning', observed: 'warning' } as const;

interface DecisionBadgeProps {
  decision: Pick<LoggedDecision, 'outcome' | 'reason' | 'limit_name'>;
  onFilter?: () => void;
}

/** Badge with the outcome and its reason. A click filters by both. */
export function DecisionBadge({ decision: { outcome, reason, limit_name }, onFilter }: DecisionBadgeProps) {
  const why = nameReason(reason, limit_name);
  const byOutcome = reason === null || outcome === 'observed';
  const by = byOutcome ? ({ by: 'outcome', value: outcome } as const) : ({ by: 'reason', value: reason } as const);
  return (
    <FilterValue {...by} onFilter={onFilter}>
      <Badge variant={VARIANT[outcome]}>
        {byOutcome && why !== null ? `${OUTCOME_NAMES[outcome]}: ${why}` : (why ?? OUTCOME_NAMES[outcome])}
      </Badge>
    </FilterValue>
  );
}
