import { createContext, useContext } from 'react';
import type { HelpRequest } from '@/components/links/help-target';
import type { LimitedIdentity, Target } from '@/components/links/target';
import type { EndpointClass } from '@/lib/limiter/meter';

/** What can be done about a subject of a limit. Each action opens a dialog or a drawer over the page. */
export interface SubjectActions {
  /** Explains a refusal and offers what helps. */
  help: (request: HelpRequest) => void;
  /** Without a target the dialog asks for one. */
  allowlist: (target?: Target) => void;
  override: (target?: Target, only?: EndpointClass) => void;
  reset: (target: LimitedIdentity, only?: EndpointClass) => void;
}

const SubjectActionsContext = createContext<SubjectActions | null>(null);

/** Passes the actions to every identifier of a page, so that identifiers import none of the dialogs. */
export const SubjectActionsProvider = SubjectActionsContext.Provider;

/** The actions that the console's frame provides. Throws outside of it. */
export function useSubjectActions(): SubjectActions {
  const actions = useContext(SubjectActionsContext);
  if (!actions) throw new Error('useSubjectActions is used outside the console.');
  return actions;
}
