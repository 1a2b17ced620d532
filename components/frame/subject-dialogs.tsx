import { type ReactNode, useMemo } from 'react';
import { type SubjectActions, SubjectActionsProvider } from '@/components/identifier/subject-actions';
import { useDialog } from '@/components/shell/dialogs';
import { onDemand } from '@/components/shell/on-demand';

const AllowlistDialog = onDemand(() => import('@/components/allowlist/allowlist-dialog'));
const HelpDrawer = onDemand(() => import('@/components/help/help-drawer'));
const OverrideDialog = onDemand(() => import('@/components/overrides/override-dialog'));
const ResetDialog = onDemand(() => import('@/components/limits/inspector/reset-dialog'));

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
      reset: (target, only) => open((onClose) => <ResetDialog target={target} only={only} onClose={onClose} />),
    }),
    [open],
  );
  return <SubjectActionsProvider value={actions}>{children}</SubjectActionsProvider>;
}
