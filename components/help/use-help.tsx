import type { HelpRequest } from '@/components/help/help-target';
import { useDialog } from '@/components/shell/dialogs';
import { onDemand } from '@/components/shell/on-demand';

const HelpDrawer = onDemand(() => import('@/components/help/help-drawer'));

/** Opens the drawer that says why somebody is refused and offers what helps. Only below the console's shell. */
export function useHelp(): (request: HelpRequest) => void {
  const open = useDialog();
  const help = (request: HelpRequest) =>
    open((onClose) => (
      <HelpDrawer key={`${request.type} ${request.identifier}`} request={request} onHelp={help} onClose={onClose} />
    ));
  return help;
}
