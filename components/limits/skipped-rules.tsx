import { useMemo } from 'react';
import { Alert } from '@/components/ui/alert';
import type { RouteRules } from '@/lib/contract/route-rules';
import { compileRouteRules } from '@/lib/enforcement/route-rules';

/** Lists the saved rules that are skipped because they do not compile. */
export function SkippedRules({ saved }: { saved: RouteRules }) {
  const skipped = useMemo(() => compileRouteRules(saved).skipped, [saved]);
  if (skipped.length === 0) return null;
  return (
    <Alert
      variant="warning"
      title={skipped.length === 1 ? 'One saved rule is skipped' : `${skipped.length} saved rules are skipped`}
    >
      The other rules and the defaults still apply. Change or remove {skipped.length === 1 ? 'the rule' : 'these rules'}
      , then save.
      <ul className="mt-1 list-disc pl-4">
        {skipped.map(({ position, reason }) => (
          <li key={position}>
            Rule {position}: {reason}.
          </li>
        ))}
      </ul>
    </Alert>
  );
}
