import { Ban, Gauge, Pencil, RefreshCw, RotateCcw } from 'lucide-react';
import dynamic from 'next/dynamic';
import { call } from '@/components/call';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import { useDialog } from '@/components/shell/dialogs';
import { useMay } from '@/components/shell/member';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import { type ApiKeyWithUsage, revokeApiKey } from '@/lib/contract/keys';

const load = () => import('@/components/keys/key-dialogs');

/** The dialogs that act on a key. */
export const KEY_DIALOGS = {
  edit: dynamic(() => import('@/components/keys/key-form-dialogs').then((file) => file.EditKeyDialog), { ssr: false }),
  tier: dynamic(() => load().then((file) => file.TierDialog), { ssr: false }),
  reset: dynamic(() => load().then((file) => file.ResetUsageDialog), { ssr: false }),
  rotate: dynamic(() => load().then((file) => file.RotateDialog), { ssr: false }),
  revoke: RevokeDialog,
};

/** Menu items for the actions on a key. */
export function KeyActionItems({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const operator = useMay('operator') && !apiKey.revoked_at;
  const owner = useMay('owner') && !apiKey.revoked_at;
  const open = useDialog();
  const select = (kind: keyof typeof KEY_DIALOGS) => () => {
    const Dialog = KEY_DIALOGS[kind];
    open((onClose) => <Dialog apiKey={apiKey} onClose={onClose} />);
  };
  return (
    <>
      <DropdownMenuItem disabled={!owner} onSelect={select('edit')}>
        <Pencil aria-hidden /> Edit…
      </DropdownMenuItem>
      <DropdownMenuItem disabled={!operator} onSelect={select('tier')}>
        <Gauge aria-hidden /> Change tier…
      </DropdownMenuItem>
      <DropdownMenuItem disabled={!operator} onSelect={select('reset')}>
        <RotateCcw aria-hidden /> Reset usage…
      </DropdownMenuItem>
      <DropdownMenuItem disabled={!owner} onSelect={select('rotate')}>
        <RefreshCw aria-hidden /> Rotate secret…
      </DropdownMenuItem>
      <DropdownMenuSeparator />
      <DropdownMenuItem destructive disabled={!owner} onSelect={select('revoke')}>
        <Ban aria-hidden /> Revoke…
      </DropdownMenuItem>
    </>
  );
}

function RevokeDialog({ apiKey: { id, name }, onClose }: { apiKey: ApiKeyWithUsage; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      description="Requests with this key are refused from the next one on. A revoked key cannot be restored; its history stays."
      confirmLabel="Revoke key"
      confirm={() => call(revokeApiKey, { params: { id } })}
      changes="api-keys"
      done={`${name} is revoked`}
      onClose={onClose}
    />
  );
}
