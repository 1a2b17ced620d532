import { type ReactNode, useMemo } from 'react';
import { type SubjectActions, SubjectActionsProvider } from '@/components/identifier/subject-actions';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';

const AllowlistDialog = loadOnDemand(() => import('@/components/allowlist/allowlist-dialog'));
const CandidateDialog = loadOnDemand(() => import('@/components/candidates/candidate-dialog'));
const HelpDrawer = loadOnDemand(() => import('@/components/help/help-drawer'));
const OverrideDialog = loadOnDemand(() => import('@/components/overrides/override-dialog'));
const SubjectOverrideDialog = loadOnDemand(() => import('@/components/overrides/subject-override-dialog'));
const ResetDialog = loadOnDemand(() => import('@/components/limits/inspector/reset-dialog'));

/** Provides the actions for every subject on the page. Each opens a dialog that loads at first use. */
export function SubjectDialogs({ children }: { children: ReactNode }) {
  const open = useDialog();
  const actions = useMemo<SubjectActions>(
    () => ({
      help: (request) =>
        open((onClose) => (
          <HelpDrawer key={`${request.type} ${request.identifier}`} request={request} onClose={onClose} />
        )),
      allowlist: (target) => open((onClose) => <AllowlistDialog initial={target} onClose={onClose} />),
      override: (target, only) => open((onClose) => <OverrideDialog initial={target} class={only} onClose={onClose} />),
      overrideSubject: (initial) => open((onClose) => <SubjectOverrideDialog initial={initial} onClose={onClose} />),
      tryLimit: (place, typed) => open((onClose) => <CandidateDialog place={place} typed={typed} onClose={onClose} />),
      reset: (target, part) => open((onClose) => <ResetDialog target={target} part={part} onClose={onClose} />),
    }),
    [open],
  );
  return <SubjectActionsProvider value={actions}>{children}</SubjectActionsProvider>;
}
