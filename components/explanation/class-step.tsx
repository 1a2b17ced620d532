import { TraceStep } from '@/components/explanation/trace-step';
import { Link } from '@/components/ui/link';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { DecisionExplanation } from '@/lib/contract/explain';

const RULES = '/limits?tab=routes';

/** Shows the class of the request, the rule that chose it, and the cost of the request. */
export function ClassStep({ explanation }: { explanation: DecisionExplanation }) {
  const { class: endpointClass, class_source: source, cost } = explanation;
  if (endpointClass === null)
    return (
      <TraceStep state="fact" title="No class">
        <p>named limits alone decide</p>
      </TraceStep>
    );
  return (
    <TraceStep
      state="fact"
      title={`Class ${CLASS_NAMES[endpointClass]}`}
      aside={cost === 1 ? 'costs 1' : <span className="font-medium text-foreground">costs {cost}</span>}
    >
      <p className="break-words">
        {source.kind === 'route_rule' ? (
          <>
            by{' '}
            <Link href={RULES} className="rounded-xs text-foreground underline underline-offset-2 hover:no-underline">
              route rule {source.rule}
            </Link>
            ,{' '}
            <span className="font-mono">
              {source.method} {source.path}
            </span>
          </>
        ) : null}
        {source.kind === 'default' ? 'by default: no route rule matches' : null}
        {source.kind === 'request' ? 'named by the request' : null}
      </p>
    </TraceStep>
  );
}
