import type { Done } from '@/components/help/actions/action-form';
import type { Target } from '@/components/links/target';
import type { DecisionExplanation } from '@/lib/contract/explain';
import type { EndpointClass } from '@/lib/limiter/meter';

export interface SubjectActionProps {
  explanation: DecisionExplanation;
  /** The limit that the action changes. */
  subject: DecisionExplanation['subjects'][number];
  target: Target;
  endpointClass: EndpointClass;
  onDone: (done: Done) => void;
}

/** True if the limit is an override of exactly this identifier, which a new override would replace. */
export function hasOwnOverride({
  subject: { source },
  target,
}: Pick<SubjectActionProps, 'subject' | 'target'>): boolean {
  return source.kind === 'override' && source.identifier === target.identifier;
}
