import { Ban, Gauge, Pencil, RefreshCw, RotateCcw } from 'lucide-react';
import dynamic from 'next/dynamic';
import { call } from '@/components/call';
import { useConfirm } from '@/components/form/confirm-dialog';
import { useDialog } from '@/components/shell/dialogs';
import { useMay } from '@/components/shell/member';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import { type ApiKeyWithUsage, revokeApiKey } from '@/lib/contract/keys';

const load = () => import('@/components/keys/key-dialogs');

export const KEY_DIALOGS = {
  edit: dynamic(() => import('@/components/keys/key-form-dialogs').then((file) => file.EditKeyDialog), { ssr: false }),
  tier: dynamic(() => load().then((file) => file.TierDialog), { ssr: false }),
  reset: dynamic(() => load().then((file) => file.ResetUsageDialog), { ssr: false }),
  rotate: dynamic(() => load().then((file) => file.RotateDialog), { ssr: false }),
};

export function KeyActionItems({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const operator = useMay('operator') && !apiKey.revoked_at;
  const owner = useMay('owner') && !apiKey.revoked_at;
  const open = useDialog();
  const confirm = useConfirm('api-keys');
  const { id, name } = apiKey;
  const select = (kind: keyof typeof KEY_DIALOGS) => () => {
    const Dialog = KEY_DIALOGS[kind];
    open((onClose) => <Dialog apiKey={apiKey} onClose={onClose} />);
  };
  const revoke = () =>
    confirm({
      confirmLabel: 'Revoke key',
      title: `Revoke ${name}?`,
      description:
        'Requests with this key are refused from now on. A revoked key cannot be restored; its history stays.',
      done: `${name} is revoked`,
      confirm: () => call(revokeApiKey, { params: { id } }),
    });
  return (
    <>
      <DropdownMenuItem icon={Pencil} label="Edit…" disabled={!owner} onSelect={select('edit')} />
      <DropdownMenuItem icon={Gauge} label="Change tier…" disabled={!operator} onSelect={select('tier')} />
      <DropdownMenuItem icon={RotateCcw} label="Reset usage…" disabled={!operator} onSelect={select('reset')} />
      <DropdownMenuItem icon={RefreshCw} label="Rotate secret…" disabled={!owner} onSelect={select('rotate')} />
      <DropdownMenuSeparator />
      <DropdownMenuItem icon={Ban} label="Revoke…" destructive disabled={!owner} onSelect={revoke} />
    </>
  );
}
