import dynamic from 'next/dynamic';
import type { HelpRequest } from '@/components/help/help-target';
import { useDialog } from '@/components/shell/dialogs';

const HelpDrawer = dynamic(() => import('@/components/help/help-drawer'), { ssr: false });

/** Opens the drawer that says why somebody is refused and offers what helps. Only below the console's shell. */
export function useHelp(): (request: HelpRequest) => void {
  const open = useDialog();
  return (request) => open((onClose) => <HelpDrawer request={request} onClose={onClose} />);
}
