import { Ban, Gauge, Pencil, Plus, RefreshCw, RotateCcw } from 'lucide-react';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleMenuItem } from '@/components/shell/role-menu-item';
import { DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

export const KEY_DIALOGS = {
  edit: loadOnDemand(() => import('@/components/keys/key-form-dialogs').then((file) => file.EditKeyDialog)),
  tier: loadOnDemand(() => import('@/components/keys/tier-dialog')),
  grant: loadOnDemand(() => import('@/components/keys/grant-dialog')),
  reset: loadOnDemand(() => import('@/components/keys/reset-usage-dialog')),
  rotate: loadOnDemand(() => import('@/components/keys/rotate-dialog')),
  revoke: loadOnDemand(() => import('@/components/keys/revoke-dialog')),
};
export const KEY_DIALOG_KINDS = ['edit', 'tier', 'grant', 'reset', 'rotate', 'revoke'] as const;
export type KeyDialogKind = (typeof KEY_DIALOG_KINDS)[number];

/** Role that each dialog needs. */
export const KEY_DIALOG_NEEDS = {
  edit: 'owner',
  tier: 'operator',
  grant: 'operator',
  reset: 'operator',
  rotate: 'owner',
  revoke: 'owner',
} as const satisfies Record<KeyDialogKind, MemberRole>;

/** Opens a dialog about a key. */
export function useKeyDialog(apiKey: ApiKeyWithUsage): (kind: KeyDialogKind) => void {
  const open = useDialog();
  return (kind) => {
    const Dialog = KEY_DIALOGS[kind];
    open((onClose) => <Dialog apiKey={apiKey} onClose={onClose} />);
  };
}

export function KeyActionItems({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const ended = apiKey.revoked_at !== null;
  const open = useKeyDialog(apiKey);
  const select = (kind: KeyDialogKind) => () => open(kind);
  return (
    <>
      <RoleMenuItem icon={Pencil} label="Edit…" needs="owner" disabled={ended} onSelect={select('edit')} />
      <RoleMenuItem icon={Plus} label="Grant requests…" needs="operator" disabled={ended} onSelect={select('grant')} />
      <RoleMenuItem icon={Gauge} label="Change tier…" needs="operator" disabled={ended} onSelect={select('tier')} />
      <RoleMenuItem
        icon={RotateCcw}
        label="Reset usage…"
        needs="operator"
        disabled={ended}
        onSelect={select('reset')}
      />
      <RoleMenuItem
        icon={RefreshCw}
        label="Rotate secret…"
        needs="owner"
        disabled={ended}
        onSelect={select('rotate')}
      />
      <DropdownMenuSeparator />
      <RoleMenuItem icon={Ban} label="Revoke…" destructive needs="owner" disabled={ended} onSelect={select('revoke')} />
    </>
  );
}
