import { Ban, Gauge, Pencil, Plus, RefreshCw, RotateCcw } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useDialog } from '@/components/shell/dialogs';
import { useMay } from '@/components/shell/member';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

export const KEY_DIALOGS = {
  edit: dynamic(() => import('@/components/keys/key-form-dialogs').then((file) => file.EditKeyDialog), { ssr: false }),
  tier: dynamic(() => import('@/components/keys/tier-dialog'), { ssr: false }),
  grant: dynamic(() => import('@/components/keys/grant-dialog'), { ssr: false }),
  reset: dynamic(() => import('@/components/keys/reset-usage-dialog'), { ssr: false }),
  rotate: dynamic(() => import('@/components/keys/rotate-dialog'), { ssr: false }),
  revoke: dynamic(() => import('@/components/keys/revoke-dialog'), { ssr: false }),
};
export const KEY_DIALOG_KINDS = ['edit', 'tier', 'grant', 'reset', 'rotate', 'revoke'] as const;
type KeyDialogKind = (typeof KEY_DIALOG_KINDS)[number];

/** The role that each dialog needs. */
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
  const operator = useMay('operator') && !apiKey.revoked_at;
  const owner = useMay('owner') && !apiKey.revoked_at;
  const open = useKeyDialog(apiKey);
  const select = (kind: KeyDialogKind) => () => open(kind);
  return (
    <>
      <DropdownMenuItem icon={Pencil} label="Edit…" disabled={!owner} onSelect={select('edit')} />
      <DropdownMenuItem icon={Plus} label="Grant requests…" disabled={!operator} onSelect={select('grant')} />
      <DropdownMenuItem icon={Gauge} label="Change tier…" disabled={!operator} onSelect={select('tier')} />
      <DropdownMenuItem icon={RotateCcw} label="Reset usage…" disabled={!operator} onSelect={select('reset')} />
      <DropdownMenuItem icon={RefreshCw} label="Rotate secret…" disabled={!owner} onSelect={select('rotate')} />
      <DropdownMenuSeparator />
      <DropdownMenuItem icon={Ban} label="Revoke…" destructive disabled={!owner} onSelect={select('revoke')} />
    </>
  );
}
