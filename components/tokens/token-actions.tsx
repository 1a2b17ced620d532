import { Ban } from 'lucide-react';
import { call } from '@/components/api/call';
import { PreviewNote } from '@/components/form/preview-note';
import { createReasonDialog } from '@/components/form/use-reason-dialog';
import type { Action } from '@/components/shell/action';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { type AdminToken, revokeToken } from '@/lib/contract/tokens';

export const CreateTokenDialog = loadOnDemand(() => import('@/components/tokens/create-token-dialog'));

export const TOKEN_ACTIONS = {
  revoke: {
    label: 'Revoke…',
    icon: Ban,
    needs: 'owner',
    destructive: true,
    dialog: createReasonDialog('tokens', ({ id, name }: AdminToken) => ({
      title: `Revoke ${name}?`,
      description: 'Calls with this token are refused from now on.',
      submitLabel: 'Revoke token',
      preview: <PreviewNote contract={revokeToken} input={{ params: { id } }} />,
      example: 'The pipeline moved to another token',
      send: (reason) => call(revokeToken, { params: { id }, query: { reason } }),
      done: `${name} is revoked`,
    })),
    command: ({ name }) => `Revoke ${name}`,
  },
} as const satisfies Record<string, Action<AdminToken>>;
