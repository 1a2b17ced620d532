import { Ban, Gauge, Pencil, Plus, RefreshCw, RotateCcw } from 'lucide-react';
import { call } from '@/components/api/call';
import { PreviewNote } from '@/components/form/preview-note';
import { createReasonDialog } from '@/components/form/use-reason-dialog';
import { type Action, loadDialog } from '@/components/shell/action';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import { type ApiKeyWithUsage, revokeApiKey } from '@/lib/contract/keys';

export const CreateKeyDialog = loadOnDemand(() =>
  import('@/components/keys/key-form-dialogs').then((file) => file.CreateKeyDialog),
);

/** Actions on a key that is not revoked. */
export const KEY_ACTIONS = {
  edit: {
    label: 'Edit…',
    icon: Pencil,
    needs: 'owner',
    dialog: loadDialog(() => import('@/components/keys/key-form-dialogs').then((file) => file.EditKeyDialog)),
    command: ({ name }) => `Edit ${name}`,
    stage: 'Edit a key',
    keywords: ['rename', 'expiry', 'overage'],
  },
  grant: {
    label: 'Grant requests…',
    icon: Plus,
    needs: 'operator',
    dialog: loadDialog(() => import('@/components/keys/grant-dialog')),
    command: ({ name }) => `Grant requests to ${name}`,
    stage: 'Grant requests to a key',
    keywords: ['quota', 'more', 'add', 'raise'],
  },
  tier: {
    label: 'Change tier…',
    icon: Gauge,
    needs: 'operator',
    dialog: loadDialog(() => import('@/components/keys/tier-dialog')),
    command: ({ name }) => `Change tier of ${name}`,
    stage: 'Change the tier of a key',
    keywords: ['quota', 'plan', 'limit'],
    note: ({ tier }) => TIER_NAMES[tier],
  },
  reset: {
    label: 'Reset usage…',
    icon: RotateCcw,
    needs: 'operator',
    dialog: loadDialog(() => import('@/components/keys/reset-usage-dialog')),
    command: ({ name }) => `Reset usage of ${name}`,
    stage: 'Reset the usage of a key',
    keywords: ['quota', 'month', 'clear'],
  },
  rotate: {
    label: 'Rotate secret…',
    icon: RefreshCw,
    needs: 'owner',
    dialog: loadDialog(() => import('@/components/keys/rotate-dialog')),
    command: ({ name }) => `Rotate secret of ${name}`,
    stage: 'Rotate the secret of a key',
    keywords: ['renew', 'replace'],
  },
  revoke: {
    label: 'Revoke…',
    icon: Ban,
    needs: 'owner',
    destructive: true,
    dialog: createReasonDialog('api-keys', ({ id, name, managed }: ApiKeyWithUsage) => ({
      title: `Revoke ${name}?`,
      description: 'Its name can be reused; its history stays.',
      submitLabel: 'Revoke key',
      managed: managed ? { kind: 'api_keys', id: name } : null,
      preview: <PreviewNote contract={revokeApiKey} input={{ params: { id } }} />,
      example: 'The contract has ended',
      send: (reason) => call(revokeApiKey, { params: { id }, query: { reason } }),
      done: `${name} is revoked`,
    })),
    command: ({ name }) => `Revoke ${name}`,
    stage: 'Revoke a key',
    keywords: ['delete', 'remove', 'end'],
  },
} as const satisfies Record<string, Action<ApiKeyWithUsage>>;
