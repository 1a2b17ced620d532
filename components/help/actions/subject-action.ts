import type { Done } from '@/components/help/actions/action-form';
import type { Target } from '@/components/links/target';
import type { DecisionExplanation } from '@/lib/contract/explain';

/** Milliseconds: how long the mild exceptions of the drawer last. */
export const HOUR = 3_600_000;

export interface SubjectActionProps {
  explanation: DecisionExplanation;
  /** The limit that the action is about. */
  subject: DecisionExplanation['subjects'][number];
  target: Target;
  onDone: (done: Done) => void;
}

/** Whether the limit is an override of this very identifier, which another one would replace. */
export function hasOwnOverride({
  subject: { source },
  target,
}: Pick<SubjectActionProps, 'subject' | 'target'>): boolean {
  return source.kind === 'override' && source.identifier === target.identifier;
}
