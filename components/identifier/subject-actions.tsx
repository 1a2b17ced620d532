import { LifeBuoy, RotateCcw, ShieldCheck, SlidersHorizontal } from 'lucide-react';
import { createContext, useContext } from 'react';
import type { HelpRequest } from '@/components/links/help-target';
import type { LimitedIdentity, Target } from '@/components/links/target';
import type { CandidatePlace } from '@/lib/contract/fields/candidate';
import type { NamedNumbers } from '@/lib/contract/fields/numbers';
import type { Limit } from '@/lib/contract/policies';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Scope of a reset: one class of an address or user, one named limit of a subject, or else everything. */
export interface ResetPart {
  class?: EndpointClass | undefined;
  limit_name?: string | undefined;
}

/** Numbers that were typed for a limit, to try them instead of saving them. */
export interface TypedNumbers {
  numbers: Limit | NamedNumbers;
  reason: string;
  /** Called once they are tried. */
  onStarted?: () => void;
}

/** Actions for a subject of a limit. Each opens a dialog or a drawer over the page. */
export interface SubjectActions {
  /** Explains a refusal and offers actions that help. */
  help: (request: HelpRequest) => void;
  /** Opens the allowlist dialog. Without a target the dialog asks for one. */
  allowlist: (target?: Target) => void;
  override: (target?: Target, only?: EndpointClass) => void;
  /** Opens the override dialog for a subject of a named limit. */
  overrideSubject: (initial: { limit_name?: string | undefined; identifier?: string | undefined }) => void;
  /** Opens the dialog that tries other numbers of a limit. */
  tryLimit: (place: CandidatePlace, typed?: TypedNumbers) => void;
  reset: (target: LimitedIdentity, only?: ResetPart) => void;
}

/** The actions in menus and in the palette, mildest first. Those that change something need a known subject. */
export const SUBJECT_ACTIONS = [
  {
    id: 'help',
    label: 'Help…',
    command: 'Help',
    stage: 'Help a refused person',
    icon: LifeBuoy,
    needs: 'viewer',
    keywords: ['why', 'explain', '429'],
  },
  {
    id: 'reset',
    label: 'Reset counters…',
    command: 'Reset counters of',
    stage: 'Reset counters',
    icon: RotateCcw,
    needs: 'operator',
    keywords: ['clear', 'forgive', 'address', 'user'],
  },
  {
    id: 'override',
    label: 'Override limit…',
    command: 'Override a limit of',
    stage: 'Override a limit',
    icon: SlidersHorizontal,
    needs: 'operator',
    keywords: ['raise', 'lower', 'exception', 'address', 'user'],
  },
  {
    id: 'allowlist',
    label: 'Allowlist…',
    command: 'Allowlist',
    stage: 'Add to the allowlist',
    icon: ShieldCheck,
    needs: 'operator',
    keywords: ['bypass', 'allow', 'address', 'user', 'range'],
  },
] as const;

const SubjectActionsContext = createContext<SubjectActions | null>(null);

/** Provides the actions to every identifier of a page, so that identifiers need not import the dialogs. */
export const SubjectActionsProvider = SubjectActionsContext.Provider;

/** Returns the actions that the console frame provides. Throws outside the frame. */
export function useSubjectActions(): SubjectActions {
  const actions = useContext(SubjectActionsContext);
  if (!actions) throw new Error('useSubjectActions is used outside the console.');
  return actions;
}
