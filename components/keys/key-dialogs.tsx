'use client';

import { useQueryClient } from '@tanstack/react-query';
import { toast } from 'sonner';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import { KeyEditDialog } from '@/components/keys/key-edit-dialog';
import { keysKey, revokeKey } from '@/components/keys/keys-api';
import { ResetUsageDialog } from '@/components/keys/reset-usage-dialog';
import { RotateDialog } from '@/components/keys/rotate-dialog';
import { TierDialog } from '@/components/keys/tier-dialog';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

/** What a person wants to do with a key. */
export interface KeyAction {
  kind: 'edit' | 'tier' | 'reset' | 'rotate' | 'revoke';
  row: ApiKeyWithUsage;
}

/** The dialog that belongs to an action. */
export function KeyDialogs({ action, onClose }: { action: KeyAction | null; onClose: () => void }) {
  switch (action?.kind) {
    case undefined:
      return null;
    case 'edit':
      return <KeyEditDialog row={action.row} onClose={onClose} />;
    case 'tier':
      return <TierDialog row={action.row} onClose={onClose} />;
    case 'reset':
      return <ResetUsageDialog row={action.row} onClose={onClose} />;
    case 'rotate':
      return <RotateDialog row={action.row} onClose={onClose} />;
    case 'revoke':
      return <RevokeDialog row={action.row} onClose={onClose} />;
  }
}

function RevokeDialog({ row, onClose }: { row: ApiKeyWithUsage; onClose: () => void }) {
  const queries = useQueryClient();
  const revoke = async () => {
    await revokeKey(row.id);
    await queries.invalidateQueries({ queryKey: keysKey });
    toast.success(`${row.name} is revoked`);
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Revoke ${row.name}?`}
      description="Requests with this key are refused from the next one on. A revoked key cannot be brought back; its history stays."
      confirmLabel="Revoke key"
      onConfirm={revoke}
    />
  );
}
