import { createContext, useContext } from 'react';
import type { HelpRequest } from '@/components/links/help-target';
import type { LimitedIdentity, Target } from '@/components/links/target';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Actions for a subject of a limit. Each opens a dialog or a drawer over the page. */
export interface SubjectActions {
  /** Explains a refusal and offers actions that help. */
  help: (request: HelpRequest) => void;
  /** Opens the allowlist dialog. Without a target the dialog asks for one. */
  allowlist: (target?: Target) => void;
  override: (target?: Target, only?: EndpointClass) => void;
  reset: (target: LimitedIdentity, only?: EndpointClass) => void;
}

const SubjectActionsContext = createContext<SubjectActions | null>(null);

/** Provides the actions to every identifier of a page, so that identifiers need not import the dialogs. */
export const SubjectActionsProvider = SubjectActionsContext.Provider;

/** Returns the actions that the console frame provides. Throws outside the frame. */
export function useSubjectActions(): SubjectActions {
  const actions = useContext(SubjectActionsContext);
  if (!actions) throw new Error('useSubjectActions is used outside the console.');
  return actions;
}
