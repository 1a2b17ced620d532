import { Plus } from 'lucide-react';
import { NewLimitDialog } from '@/components/named-limits/limit-actions';
import { useDialog } from '@/components/shell/dialogs';
import { RoleButton } from '@/components/shell/role-button';

/** Opens the dialog for a new limit. */
export function NewLimitButton() {
  const open = useDialog();
  return (
    <RoleButton needs="owner" data-new onClick={() => open((onClose) => <NewLimitDialog onClose={onClose} />)}>
      <Plus aria-hidden /> New limit
    </RoleButton>
  );
}
