import { Ban, Gauge, Pencil, RefreshCw, RotateCcw } from 'lucide-react';
import dynamic from 'next/dynamic';
import { call } from '@/components/call';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import { useMay } from '@/components/shell/member';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import { type ApiKeyWithUsage, revokeApiKey } from '@/lib/contract/keys';

const load = () => import('@/components/keys/key-dialogs');
const DIALOGS = {
  edit: dynamic(() => import('@/components/keys/key-form-dialogs').then((file) => file.EditKeyDialog), { ssr: false }),
  tier: dynamic(() => load().then((file) => file.TierDialog), { ssr: false }),
  reset: dynamic(() => load().then((file) => file.ResetUsageDialog), { ssr: false }),
  rotate: dynamic(() => load().then((file) => file.RotateDialog), { ssr: false }),
  revoke: RevokeDialog,
};

/** A chosen action on a key. */
export interface KeyAction {
  kind: keyof typeof DIALOGS;
  apiKey: ApiKeyWithUsage;
}

/** Menu items for the actions on a key. */
export function KeyActionItems({
  apiKey,
  onAction,
}: {
  apiKey: ApiKeyWithUsage;
  onAction: (action: KeyAction) => void;
}) {
  const live = !apiKey.revoked_at;
  const operator = useMay('operator') && live;
  const owner = useMay('owner') && live;
  const select = (kind: KeyAction['kind']) => () => onAction({ kind, apiKey });
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

export function KeyDialogs({ action, onClose }: { action: KeyAction | null; onClose: () => void }) {
  if (action === null) return null;
  const Dialog = DIALOGS[action.kind];
  return <Dialog apiKey={action.apiKey} onClose={onClose} />;
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
