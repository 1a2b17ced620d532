'use client';

import { Ban, Gauge, Pencil, RefreshCw, RotateCcw } from 'lucide-react';
import type { KeyAction } from '@/components/keys/key-dialogs';
import { useMay } from '@/components/shell/member';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

/** What can be done with a key, for any menu. */
export function KeyActionItems({ row, onAction }: { row: ApiKeyWithUsage; onAction: (action: KeyAction) => void }) {
  const operator = useMay('operator');
  const owner = useMay('owner');
  const live = !row.revoked_at;
  return (
    <>
      <DropdownMenuItem disabled={!owner || !live} onSelect={() => onAction({ kind: 'edit', row })}>
        <Pencil aria-hidden /> Edit…
      </DropdownMenuItem>
      <DropdownMenuItem disabled={!operator || !live} onSelect={() => onAction({ kind: 'tier', row })}>
        <Gauge aria-hidden /> Change tier…
      </DropdownMenuItem>
      <DropdownMenuItem disabled={!operator || !live} onSelect={() => onAction({ kind: 'reset', row })}>
        <RotateCcw aria-hidden /> Reset usage…
      </DropdownMenuItem>
      <DropdownMenuItem disabled={!owner || !live} onSelect={() => onAction({ kind: 'rotate', row })}>
        <RefreshCw aria-hidden /> Rotate secret…
      </DropdownMenuItem>
      <DropdownMenuSeparator />
      <DropdownMenuItem destructive disabled={!owner || !live} onSelect={() => onAction({ kind: 'revoke', row })}>
        <Ban aria-hidden /> Revoke…
      </DropdownMenuItem>
    </>
  );
}
